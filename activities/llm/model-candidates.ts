import { findCatalogEntry } from '../../builtin/index.ts';
import type { SecretBox } from '../../db/core/index.ts';
import type { TurnAgent } from '../../db/agents/index.ts';
import type { TurnChain } from '../../db/provider-chains/index.ts';
import type { TurnAccount, TurnAccounts } from '../../db/providers/index.ts';
import { type AccountAvailability, type ChainStep, chooseAccounts } from '../../domain/provider-chains/index.ts';
import { statesOf } from './accounts/account-record.ts';
import type { AccountUse } from './accounts/account-use.ts';
import { type ChosenModel, DEMO_MODEL, modelOfAccount } from './model-of-account.ts';
import { whyNoneIsUsable } from './failures/why-none-is-usable.ts';
import { requestedModelOf } from './requested-model.ts';

/** An account that may be called for the next model step. */
export interface ModelCandidate {
  /** Null for the demo model, which needs none. */
  readonly account: TurnAccount | null;
  readonly accountId: string | null;
  /** The step of the chain that it belongs to; 0 without a chain. */
  readonly stepIndex: number;
  /** Returns how to call it. Throws `ProviderFailure` when a necessary setting is missing. */
  open(): ChosenModel;
}

/** The candidates for a model call, in order. */
export interface ModelChoice {
  readonly candidates: readonly ModelCandidate[];
  /** Whether they stand for the steps of a chain. */
  readonly hasSteps: boolean;
  /** The time at which the first cooling account is available again; null when none cools down. */
  readonly coolingUntil: Date | null;
  /** Why there is nobody to call and nobody to wait for, in words for the user. */
  readonly blockedReason: string | undefined;
}

interface ChoiceDeps {
  readonly box: SecretBox;
  readonly accountUse: AccountUse;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface ChoiceInput {
  readonly accounts: Pick<TurnAccounts, 'usable'>;
  readonly chain: Omit<TurnChain, 'id'> | null;
  readonly agent: Pick<TurnAgent, 'modelPref' | 'profile'>;
}

/**
 * Returns the accounts that may be called for the next model step, in the order of the chain or of their age. A model
 * profile comes before the agent's chain. An organization without any account has the demo model.
 */
export function modelCandidates({ box, accountUse, now }: ChoiceDeps, input: ChoiceInput): ModelChoice {
  const requested = requestedModelOf(input.agent, input.chain);
  if ('missing' in requested) return { ...NOBODY, blockedReason: requested.missing };
  const { chain, modelPref } = requested;
  const accounts = input.accounts.usable;
  if (accounts.length === 0) return { ...NOBODY, candidates: [DEMO_CANDIDATE] };
  const steps = chain === null ? null : chain.steps.map(toStep);
  const states = statesOf({ accountUse, box }, accounts);
  const { candidates, coolingUntil, disabled } = chooseAccounts(states, steps, now);
  const wantedModel = modelRule(modelPref, firstType(states, steps, now));
  const isUsable = candidates.length > 0 || coolingUntil !== null;
  return {
    candidates: candidates.flatMap(({ accountId, stepIndex, modelName }) => {
      const account = accounts.find(({ id }) => id === accountId);
      if (account === undefined) return [];
      const open = () => modelOfAccount(box, account, modelName ?? wantedModel(account.providerType));
      return [{ account, accountId, stepIndex, open }];
    }),
    hasSteps: chain !== null,
    coolingUntil: coolingUntil === null ? null : new Date(coolingUntil),
    blockedReason: isUsable ? undefined : whyNoneIsUsable(accounts, chain, disabled),
  };
}

const DEMO_CANDIDATE: ModelCandidate = { account: null, accountId: null, stepIndex: 0, open: () => DEMO_MODEL };

const NOBODY: ModelChoice = { candidates: [], hasSteps: false, coolingUntil: null, blockedReason: undefined };

function toStep({ provider_type: providerType, model_name: modelName }: TurnChain['steps'][number]): ChainStep {
  return { providerType, modelName };
}

/** Returns the type that would come first if no account were disabled or cooling down. */
function firstType(accounts: readonly AccountAvailability[], steps: readonly ChainStep[] | null, now: number) {
  const rested = accounts.map((account) => ({ ...account, cooldownUntil: null, disabledReason: null }));
  const [first] = chooseAccounts(rested, steps, now).candidates;
  return accounts.find(({ id }) => id === first?.accountId)?.providerType;
}

/**
 * Returns a rule for which accounts use the agent's preferred model. The preference was chosen for the first type; an
 * account of another type gets it only when it is not known to lack the model.
 */
function modelRule(modelPref: string | null, preferredType: string | undefined) {
  return (providerType: string): string | null => {
    const known = findCatalogEntry(providerType)?.models ?? [];
    const isPossible = known.length === 0 || (modelPref !== null && known.includes(modelPref));
    return providerType === preferredType || isPossible ? modelPref : null;
  };
}
