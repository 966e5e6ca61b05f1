import { findCatalogEntry } from '../../builtin/index.ts';
import type { TurnAgent } from '../../db/agents/index.ts';
import type { SecretBox } from '../../db/core/index.ts';
import type { TurnChain } from '../../db/provider-chains.ts';
import type { TurnAccount, TurnAccounts } from '../../db/providers/index.ts';
import { profileNameOf } from '../../domain/model-profiles.ts';
import {
  type AccountAvailability,
  type AccountChoice,
  type ChainStep,
  chooseAccounts,
} from '../../domain/provider-chains.ts';
import { type AccountUse, statesOf } from './account-record.ts';
import { type ChosenModel, DEMO_MODEL, modelOfAccount } from './model-of-account.ts';

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

/** A chain to go by: one of the organization, or what a model profile makes up for one. */
interface RequestedChain extends Pick<TurnChain, 'name' | 'steps'> {
  readonly isProfile?: true;
}

/** What a turn wants of the models, or why it cannot be had, in words for the user. */
type RequestedModel =
  | { readonly chain: RequestedChain | null; readonly modelPref: string | null }
  | { readonly missing: string };

/**
 * Returns the chain and the model that a turn goes by. A profile replaces the agent's chain and that of the
 * organization; of one beside a chain that a permission group or the chat has chosen, only the model's name counts, as
 * a preference.
 */
function requestedModelOf(
  { modelPref, profile }: Pick<TurnAgent, 'modelPref' | 'profile'>,
  chain: Omit<TurnChain, 'id'> | null,
): RequestedModel {
  if (profile === null) {
    const named = profileNameOf(modelPref);
    if (named === undefined) return { chain, modelPref };
    return {
      missing: `The agent asks for the model profile "${named}", which does not exist: add it, or change model_pref`,
    };
  }
  const { name, providerType, modelName } = profile;
  if (chain?.isBinding === true) return { chain, modelPref: modelName };
  if (profile.chain !== null) return { chain: profile.chain, modelPref: null };
  if (providerType === null)
    return { missing: `The provider chain of the model profile "${name}" was deleted: choose another one` };
  const step = { provider_type: providerType, model_name: modelName };
  return { chain: { name, steps: [step], isProfile: true }, modelPref: null };
}

const MAX_NAMED = 3;

/** Explains to the user why none of the accounts can be used, and what to do about it. */
function whyNoneIsUsable(
  accounts: readonly Pick<TurnAccount, 'id' | 'name'>[],
  chain: RequestedChain | null,
  disabled: AccountChoice['disabled'],
): string {
  const kind = chain?.isProfile === true ? 'model profile' : 'provider chain';
  const whose = chain === null ? '' : ` of the ${kind} "${chain.name}"`;
  if (disabled.length === 0) return `No account${whose} exists: ${whatToAdd(chain)}`;
  const named = disabled.slice(0, MAX_NAMED).map(({ accountId, reason }) => {
    const name = accounts.find(({ id }) => id === accountId)?.name ?? 'An account';
    return `${name} (${reason})`;
  });
  const others = disabled.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return `Every account${whose} is disabled: ${list}. New credentials or a successful test enable it again`;
}

function whatToAdd(chain: RequestedChain | null): string {
  const types = new Set(chain?.steps.map(({ provider_type: type }) => type));
  // A chain of nothing but the demo is for first trials, and there are real accounts by now.
  if (types.size === 1 && types.has('demo')) return 'the demo model is not used beside real accounts; change the chain';
  types.delete('demo');
  return `add one of the type ${[...types].join(' or ')}, or change the ${chain?.isProfile === true ? 'profile' : 'chain'}`;
}
