import type { TokenBudget } from './permissions/policy.ts';

/** A budget and the part of it that has been used. */
export interface BudgetUse extends TokenBudget {
  readonly usedTokens: number;
  /**
   * The time at which a used-up budget becomes partly free again; null for a budget of all time, and while something is
   * left.
   */
  readonly freeAt: Date | null;
}

/** The combined state of several budgets. They are alternatives: whatever one of them leaves may be used. */
interface BudgetState {
  readonly isUsedUp: boolean;
  /** The time at which the first of them becomes free again; null when none is used up, or none ever becomes free. */
  readonly freeAt: Date | null;
  /** The one that leaves most, null without any. */
  readonly widest: BudgetUse | null;
}

/** Summarizes the uses of all budgets of a user. */
export function budgetStateOf(uses: readonly BudgetUse[]): BudgetState {
  const [widest = null] = uses.toSorted((a, b) => leftOf(b) - leftOf(a));
  const isUsedUp = widest !== null && leftOf(widest) <= 0;
  const times = isUsedUp ? uses.flatMap(({ freeAt }) => (freeAt === null ? [] : [freeAt.getTime()])) : [];
  return { isUsedUp, freeAt: times.length === 0 ? null : new Date(Math.min(...times)), widest };
}

function leftOf({ tokens, usedTokens }: BudgetUse): number {
  return tokens - usedTokens;
}

/**
 * Returns why a turn may not begin, in words for its user, with the time to try again; `undefined` when it may begin.
 */
export function budgetBlockedReason(uses: readonly BudgetUse[]): string | undefined {
  const { isUsedUp, freeAt, widest } = budgetStateOf(uses);
  if (!isUsedUp || widest === null) return undefined;
  const used = `Your token budget is used up: ${count(widest.usedTokens)} of ${count(widest.tokens)} tokens ${windowOf(widest)}.`;
  if (freeAt === null) return `${used} It does not renew itself; ask an administrator of your organization.`;
  return `${used} Send the message again after ${freeAt.toISOString()}, when part of it is available again.`;
}

function windowOf({ windowHours }: TokenBudget): string {
  if (windowHours === 0) return 'in all';
  return windowHours === 1 ? 'within an hour' : `within ${count(windowHours)} hours`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
