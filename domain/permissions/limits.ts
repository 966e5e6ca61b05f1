/** The limits of one group, as its administrator set them. 0 is unlimited; a window of 0 hours is all time. */
export interface GroupLimits {
  readonly tokenBudget: number;
  readonly tokenWindowHours: number;
  readonly maxConcurrentAgents: number;
  readonly maxProviderAccounts: number;
}

/** Tokens that may be used within a sliding window; a window of 0 hours is all time. */
export interface TokenBudget {
  readonly tokens: number;
  readonly windowHours: number;
}

/** The limits that hold for a user. */
export interface PolicyLimits {
  /** The user is blocked when every one of them is used up; without any they are never. */
  readonly budgets: readonly TokenBudget[];
  /** 0 is unlimited. */
  readonly maxConcurrentAgents: number;
  /** 0 is unlimited. */
  readonly maxProviderAccounts: number;
}

/** The limits of a user whom no group limits. */
export const UNLIMITED: PolicyLimits = { budgets: [], maxConcurrentAgents: 0, maxProviderAccounts: 0 };

/** Returns the limits of a user who is in this group only. */
export function limitsOf(group: GroupLimits): PolicyLimits {
  const { tokenBudget: tokens, tokenWindowHours: windowHours, maxConcurrentAgents, maxProviderAccounts } = group;
  return { budgets: tokens === 0 ? [] : [{ tokens, windowHours }], maxConcurrentAgents, maxProviderAccounts };
}

/**
 * Returns the more generous of two limits in each dimension. Budget and window are one dimension: either pair may be
 * used.
 */
export function uniteLimits(a: PolicyLimits, b: PolicyLimits): PolicyLimits {
  return {
    budgets: uniteBudgets(a.budgets, b.budgets),
    maxConcurrentAgents: moreGenerous(a.maxConcurrentAgents, b.maxConcurrentAgents),
    maxProviderAccounts: moreGenerous(a.maxProviderAccounts, b.maxProviderAccounts),
  };
}

function moreGenerous(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.max(a, b);
}

function uniteBudgets(a: readonly TokenBudget[], b: readonly TokenBudget[]): TokenBudget[] {
  if (a.length === 0 || b.length === 0) return [];
  const distinct = new Map([...a, ...b].map((budget) => [`${budget.tokens}/${budget.windowHours}`, budget]));
  const all = [...distinct.values()].toSorted((x, y) => lengthOf(x) - lengthOf(y) || y.tokens - x.tokens);
  // A pair that is used up whenever another one is says nothing of its own.
  return all.filter((budget) => !all.some((other) => other !== budget && isAsGenerous(other, budget)));
}

function isAsGenerous(a: TokenBudget, b: TokenBudget): boolean {
  return a.tokens >= b.tokens && lengthOf(a) <= lengthOf(b);
}

function lengthOf({ windowHours }: TokenBudget): number {
  return windowHours === 0 ? Number.POSITIVE_INFINITY : windowHours;
}
