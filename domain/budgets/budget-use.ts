import type { TokenBudget } from '../permissions/index.ts';

/** How much of a budget has been used. */
export interface BudgetUse extends TokenBudget {
  readonly usedTokens: number;
  /** When some of it is free again, for one that is used up; null for one of all time, and while something is left. */
  readonly freeAt: Date | null;
}

/** What of several budgets is left: they are alternatives, and what one leaves may be used. */
export interface BudgetState {
  readonly isUsedUp: boolean;
  /** When the first of them is free again; null when none is used up, or none ever will be free. */
  readonly freeAt: Date | null;
  /** The one that leaves most, null without any. */
  readonly widest: BudgetUse | null;
}

/** Looks at the uses of all budgets of a user. */
export function budgetStateOf(uses: readonly BudgetUse[]): BudgetState {
  const [widest = null] = uses.toSorted((a, b) => leftOf(b) - leftOf(a));
  const isUsedUp = widest !== null && leftOf(widest) <= 0;
  const times = isUsedUp ? uses.flatMap(({ freeAt }) => (freeAt === null ? [] : [freeAt.getTime()])) : [];
  return { isUsedUp, freeAt: times.length === 0 ? null : new Date(Math.min(...times)), widest };
}

function leftOf({ tokens, usedTokens }: BudgetUse): number {
  return tokens - usedTokens;
}

/** Why a turn may not begin, in words for its user, who may begin one again when the words say; `undefined` when it may. */
export function budgetBlockedReason(uses: readonly BudgetUse[]): string | undefined {
  const { isUsedUp, freeAt, widest } = budgetStateOf(uses);
  if (!isUsedUp || widest === null) return undefined;
  const used = `Your token budget is used up: ${count(widest.usedTokens)} of ${count(widest.tokens)} tokens ${windowOf(widest)}.`;
  if (freeAt === null) return `${used} It does not free up by itself; ask an administrator of your organization.`;
  return `${used} Send the message again after ${freeAt.toISOString()}, when some of it is free again.`;
}

function windowOf({ windowHours }: TokenBudget): string {
  if (windowHours === 0) return 'in all';
  return windowHours === 1 ? 'within an hour' : `within ${count(windowHours)} hours`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
