/** The part of an account's state that decides whether and when it is called. Times are milliseconds since 1970. */
export interface AccountAvailability {
  readonly id: string;
  readonly providerType: string;
  readonly cooldownUntil: number | null;
  /** Null unless the account is disabled. */
  readonly disabledReason: string | null;
  readonly lastUsedAt: number | null;
}

/** A step of a chain: any account of this type, with this model or the one that is set otherwise. */
export interface ChainStep {
  readonly providerType: string;
  readonly modelName: string | null;
}

/** An account to try, and its step in the chain: 0 without a chain. */
interface Candidate {
  readonly accountId: string;
  readonly stepIndex: number;
  readonly modelName: string | null;
}

/** Which accounts can be asked, in which order, and why others cannot. */
export interface AccountChoice {
  readonly candidates: readonly Candidate[];
  /** The time at which the first cooling account is available again. */
  readonly coolingUntil: number | null;
  readonly disabled: readonly { readonly accountId: string; readonly reason: string }[];
}

/** The type of the scripted model that ships with the service. */
export const DEMO_TYPE = 'demo';

/**
 * Returns the accounts that can be asked now. A chain's steps come in their order, and within a step the account that
 * was used longest ago comes first. Without a chain all accounts come in the order given, the oldest first. Accounts of
 * the type `demo` count only when there is no other.
 */
export function chooseAccounts(
  accounts: readonly AccountAvailability[],
  steps: readonly ChainStep[] | null,
  now: number,
): AccountChoice {
  const real = accounts.filter(({ providerType }) => providerType !== DEMO_TYPE);
  const usable = real.length > 0 ? real : accounts;
  const groups = steps === null ? [{ members: usable, modelName: null }] : membersOfSteps(usable, steps);
  const meant = new Set(groups.flatMap(({ members }) => members));
  const candidates = groups.flatMap(({ members, modelName }, stepIndex) =>
    members
      .filter((account) => account.disabledReason === null && !isCooling(account, now))
      .map(({ id }): Candidate => ({ accountId: id, stepIndex, modelName })),
  );
  return { candidates, coolingUntil: firstBack([...meant], now), disabled: disabledOf([...meant]) };
}

interface Group {
  readonly members: readonly AccountAvailability[];
  readonly modelName: string | null;
}

function membersOfSteps(accounts: readonly AccountAvailability[], steps: readonly ChainStep[]): Group[] {
  // Sorting is stable: accounts that were used at the same time keep the order of their creation.
  const byUse = accounts.toSorted((a, b) => (a.lastUsedAt ?? 0) - (b.lastUsedAt ?? 0));
  return steps.map(({ providerType, modelName }) => ({
    members: byUse.filter((account) => account.providerType === providerType),
    modelName,
  }));
}

function isCooling({ cooldownUntil }: AccountAvailability, now: number): boolean {
  return cooldownUntil !== null && cooldownUntil > now;
}

function firstBack(accounts: readonly AccountAvailability[], now: number): number | null {
  const ends = accounts
    .filter((account) => account.disabledReason === null && isCooling(account, now))
    .map(({ cooldownUntil }) => cooldownUntil ?? now);
  return ends.length === 0 ? null : Math.min(...ends);
}

function disabledOf(accounts: readonly AccountAvailability[]): AccountChoice['disabled'] {
  return accounts.flatMap(({ id, disabledReason: reason }) => (reason === null ? [] : [{ accountId: id, reason }]));
}

/** Shortest rest, so that a turn whose accounts are all busy does not ask them without a pause. */
const MIN_COOLDOWN_MS = 1_000;

/** Longest rest of an account, whatever its provider asks for. */
const MAX_COOLDOWN_MS = 24 * 3_600_000;

interface Busy {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly cooldownSeconds: number;
  /** The delay that the provider asks for, if it says. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Returns the end of a busy account's cooldown: as long as its provider asks, but no shorter than its own setting, and
 * between a second and a day.
 */
export function cooldownEnd({ now, cooldownSeconds, retryAfterMs }: Busy): number {
  const asked = retryAfterMs === undefined || Number.isNaN(retryAfterMs) ? 0 : retryAfterMs;
  return now + Math.min(MAX_COOLDOWN_MS, Math.max(MIN_COOLDOWN_MS, asked, cooldownSeconds * 1000));
}
