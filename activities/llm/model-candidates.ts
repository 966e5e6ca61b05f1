import { LRUCache } from 'lru-cache';
import type { Database } from '../../db/core/database.ts';
import { type SecretBox, whyUnreadable } from '../../db/core/secret-box.ts';
import {
  clearFailure,
  coolDownAccount,
  disableAccount,
  noteFailure,
  touchAccount,
} from '../../db/providers/account-condition.ts';
import type { TurnAccount, TurnAccounts } from '../../db/providers/for-turn.ts';
import {
  type AccountAvailability,
  type AccountChoice,
  type ChainStep,
  chooseAccounts,
  cooldownEnd,
} from '../../domain/provider-chains.ts';
import type { ProviderFailure } from './failures/provider-failure.ts';
import { ReportedError } from './failures/reported-error.ts';
import { findCatalogEntry } from '../../builtin/index.ts';
import type { TurnAgent } from '../../db/agents/for-turn.ts';
import type { TurnChain } from '../../db/provider-chains.ts';
import { profileNameOf } from '../../domain/model-profiles.ts';
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
  /** Whether they are the steps of a chain. */
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

/** The chain to use: one of the organization, or one derived from a model profile. */
interface RequestedChain extends Pick<TurnChain, 'name' | 'steps'> {
  readonly isProfile?: true;
}

/** The model that a turn requests, or why it is unavailable, in words for the user. */
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
  // A chain of nothing but the demo is for first attempts, and there are real accounts by now.
  if (types.size === 1 && types.has('demo')) return 'the demo model is not used beside real accounts; change the chain';
  types.delete('demo');
  return `add one of the type ${[...types].join(' or ')}, or change the ${chain?.isProfile === true ? 'profile' : 'chain'}`;
}

/** The dependencies of recording the use of accounts. */
interface AccountDeps {
  readonly database: Database;
  readonly accountUse: AccountUse;
}

/** Returns the states of accounts, by which one is chosen. One whose credentials cannot be decrypted is disabled. */
export function statesOf(
  { accountUse, box }: Pick<AccountDeps, 'accountUse'> & { readonly box: SecretBox },
  accounts: readonly TurnAccount[],
): AccountAvailability[] {
  return accounts.map((account) => ({
    id: account.id,
    providerType: account.providerType,
    cooldownUntil: account.cooldownUntil?.getTime() ?? null,
    disabledReason: account.disabledReason ?? whyUnreadable(box, account.credentials),
    lastUsedAt: accountUse.lastUse(account),
  }));
}

/** Records that an account is used now. */
export function noteAccountUse({ database, accountUse }: AccountDeps, { id: accountId, orgId }: TurnAccount): void {
  if (!accountUse.used(accountId)) return;
  // Nobody waits for it, and a failure does not affect the order of the next calls.
  void touchAccount(database, { orgId, accountId }).catch(() => undefined);
}

/** Records what a failure means for its account. Returns until when it cools down. */
export async function learnFromFailure(
  database: Database,
  { id: accountId, orgId, credentials, cooldownSeconds }: TurnAccount,
  failure: ProviderFailure,
): Promise<number | null> {
  const { kind, message: reason, retryAfterMs } = failure;
  if (concernsAccount(failure)) await noteFailure(database, { orgId, accountId, credentials, reason });
  if (kind === 'credentials') await disableAccount(database, { orgId, accountId, credentials, reason });
  if (kind !== 'busy') return null;
  const untilMs = cooldownEnd({ now: Date.now(), cooldownSeconds, retryAfterMs });
  await coolDownAccount(database, { orgId, accountId, untilMs });
  return untilMs;
}

/** Records that an account has answered, if it had failed before. */
export function learnFromSuccess(database: Database, { id: accountId, orgId, hasFailed }: TurnAccount): void {
  if (!hasFailed) return;
  // Nobody waits for it: the next success says the same.
  void clearFailure(database, { orgId, accountId }).catch(() => undefined);
}

/** The number of accounts to remember; the database knows about older uses. */
const MAX_ACCOUNTS = 10_000;

/** The longest delay before the database hears of a use, in milliseconds. */
const NOTE_EVERY_MS = 1_000;

interface Use {
  readonly at: number;
  /** The time of the last update in the database. */
  readonly notedAt: number;
}

/**
 * Remembers when this process last used each account. The database learns of it up to a second later, so without this
 * two turns that begin at once would take the same account.
 */
export class AccountUse {
  readonly #lastUses = new LRUCache<string, Use>({ max: MAX_ACCOUNTS });

  /** Records that the account is used now. Returns whether to update the database, which happens once a second. */
  used(accountId: string, now = Date.now()): boolean {
    const notedAt = this.#lastUses.get(accountId)?.notedAt ?? Number.NEGATIVE_INFINITY;
    const isNoteDue = now - notedAt >= NOTE_EVERY_MS;
    this.#lastUses.set(accountId, { at: now, notedAt: isNoteDue ? now : notedAt });
    return isNoteDue;
  }

  /**
   * Returns the account's last use by this process or, as far as the database knows, by any; in milliseconds since
   * 1970.
   */
  lastUse({ id, lastUsedAt }: { readonly id: string; readonly lastUsedAt: Date | null }): number | null {
    const here = this.#lastUses.peek(id)?.at ?? null;
    const anywhere = lastUsedAt?.getTime() ?? null;
    if (here === null || anywhere === null) return here ?? anywhere;
    return Math.max(here, anywhere);
  }
}

/**
 * Returns whether a failure that neither disables its account nor has it cool down says something about the account all
 * the same, and not only about the request: that its provider cannot be reached, fails, or lacks the model.
 */
function concernsAccount({ kind, cause }: ProviderFailure): boolean {
  if (kind === 'outage' || kind === 'timeout') return true;
  if (kind !== 'rejected' || cause === undefined) return false;
  return !(cause instanceof ReportedError) || cause.status === 404;
}
