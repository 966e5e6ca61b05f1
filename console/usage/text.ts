import { count, formatNumber } from '../core/text/numbers.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the page of usage says, in the language of the page. */
export const useUsageText = ownText({
  en: {
    title: 'Usage',
    lead: 'Tokens that models have read and written, and what they cost. Days are those of UTC.',
    filters: 'What is shown',
    from: 'From',
    to: 'To',
    last: (days: number) => `${days} days`,
    by: 'By',
    groupings: { day: 'Day', agent: 'Agent', model: 'Model', user: 'Person', chat: 'Chat' },
    of: 'Bars',
    measures: { tokens: 'Tokens', cost: 'Cost' },
    scope: 'Whose',
    scopes: { own: 'Only mine', organization: 'Everybody' },
    input: 'Input',
    output: 'Output',
    cached: 'Of it from a cache',
    cachedColumn: 'Cached',
    turns: 'Turns',
    calls: 'Calls of models',
    cost: 'Cost',
    noPrice: 'price not known',
    unpriced: (calls: number, tokens: number) =>
      `The cost leaves out ${count(calls, 'call', 'calls')} with ${count(tokens, 'token', 'tokens')}, whose price is not known.`,
    noCost: 'No price is known for what was used in this time, so only tokens are shown.',
    empty: 'Nothing was used in this time',
    emptyWhy: 'What agents use is counted here with each step, at once.',
    chart: (measure: string, by: string) => `${measure} by ${by.toLowerCase()}`,
    gone: {
      day: '',
      agent: 'an agent that is gone',
      model: 'unknown model',
      user: 'an account that is gone',
      chat: 'a private chat of somebody, or one that is gone',
    },
    budget: 'Your budget',
    budgetWhy: 'Of tokens, by your permission groups. Of several one that is left is enough.',
    used: (used: number, all: number) => `${formatNumber(used)} of ${count(all, 'token', 'tokens')}`,
    window: (hours: number) => (hours === 0 ? 'in all' : `in ${count(hours, 'hour', 'hours')}`),
    freeAgain: (time: string) => `Used up. Part of it is free again ${time}.`,
    usedUp: 'Used up.',
    budgetsOfAll: 'Budgets of members',
    budgetsOfAllWhy: 'Who has a token budget by their permission groups, and how much of it is used in its window.',
    noBudgets: 'No member that is listed has a budget.',
    usedOf: 'Used',
    state: 'State',
    blocked: 'used up',
    blockedUntil: (time: string) => `used up, free again ${time}`,
    free: 'not used up',
  },
});

/** What the page of usage says. */
export type UsageText = ReturnType<typeof useUsageText>;
