import { formatNumber } from '../core/text/numbers.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the pages of providers say, in the language of the page. */
export const useProvidersText = ownText({
  en: {
    title: 'Providers',
    empty: 'No provider account yet',
    emptyWhy: 'Until there is one, the demo model answers. Add an account to work with a real model.',
    add: 'Add an account',
    added: (name: string) => `${name} was added`,
    choose: 'Provider',
    chooseHint: 'Search by name',
    name: 'Name of the account',
    key: 'API key',
    keyHint: 'Stored encrypted. It is never shown again.',
    baseUrl: 'Address of the server',
    model: 'Model',
    modelHint: 'The one that is used unless an agent asks for another.',
    test: 'Test',
    testing: 'Testing',
    worked: (model: string, ms: number) => `${model} answered in ${formatNumber(Math.round(ms))} ms`,
    failed: (why: string) => `No answer: ${why}`,
    status: { active: 'active', cooling_down: 'cooling down', disabled: 'disabled' },
    until: (time: string) => `until ${time}`,
    shared: 'shared',
    personal: 'yours',
    lastUsed: 'Last used',
    never: 'never',
    type: 'Type',
    state: 'State',
    unavailable: 'not available on this server',
  },
});

/** What the pages of providers say. */
export type ProvidersText = ReturnType<typeof useProvidersText>;
