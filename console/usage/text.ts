import { count, formatNumber } from '../core/text/formats.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the page of usage says, in the language of the page. */
export const useUsageText = ownText({
  en: {
    title: 'Usage',
    lead: 'Tokens used by models, and their cost. Days are in UTC.',
    filters: 'What is shown',
    from: 'From',
    to: 'To',
    last: (days: number) => `${days} days`,
    by: 'Group by',
    groupings: { day: 'Day', agent: 'Agent', model: 'Model', user: 'Person', chat: 'Chat' },
    of: 'Chart',
    measures: { tokens: 'Tokens', cost: 'Cost' },
    scope: 'Members',
    scopes: { own: 'Only me', organization: 'All' },
    input: 'Input',
    output: 'Output',
    cached: 'Cached input',
    cachedColumn: 'Cached',
    turns: 'Turns',
    calls: 'Model calls',
    cost: 'Cost',
    noPrice: 'no known price',
    unpriced: (calls: number, tokens: number) =>
      `The cost leaves out ${count(calls, 'call', 'calls')} with ${count(tokens, 'token', 'tokens')}, whose price is not known.`,
    noCost: 'No prices are known for this period, so only tokens are shown.',
    empty: 'No usage in this period',
    emptyWhy: 'Usage appears here as soon as an agent takes a step.',
    chart: (measure: string, by: string) => `${measure} by ${by.toLowerCase()}`,
    gone: {
      day: '',
      agent: 'a deleted agent',
      model: 'unknown model',
      user: 'a deleted account',
      chat: 'a private or deleted chat',
    },
    budget: 'Your budget',
    budgetWhy: 'Tokens, by your permission groups. If you have several budgets, one with tokens left is enough.',
    used: (used: number, all: number) => `${formatNumber(used)} of ${count(all, 'token', 'tokens')}`,
    window: (hours: number) => (hours === 0 ? 'in all' : `in ${count(hours, 'hour', 'hours')}`),
    freeAgain: (time: string) => `Used up. Part of it is free again ${time}.`,
    usedUp: 'Used up.',
    budgetsOfAll: 'Budgets of members',
    budgetsOfAllWhy: 'Token budgets from permission groups, and how much of each is used.',
    noBudgets: 'No budgets set.',
    usedOf: 'Used',
    state: 'State',
    blocked: 'used up',
    blockedUntil: (time: string) => `used up, free again ${time}`,
    free: 'not used up',
  },
});

/** What the page of usage says. */
export type UsageText = ReturnType<typeof useUsageText>;
