import { formatNumber } from '../core/text/numbers.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the pages of integrations say, in the language of the page. */
export const useIntegrationsText = ownText({
  en: {
    title: 'Integrations',
    lead: 'Credentials of the organization for other services: code hosts, chats, search engines, databases.',
    add: 'Add an integration',
    copyWhy: 'A copy has no secrets: enter those that it is to use.',
    addLead: 'What is entered is stored encrypted and never shown again.',
    create: 'Add',
    empty: 'No integrations yet',
    emptyWhy: 'Projects, builtin tools and your own tools reach other services with one.',
    name: 'Name',
    nameHint: 'Tools of your own refer to it by this.',
    kind: 'Service',
    kindHint: 'Type to find one',
    url: 'Address',
    urlHint: (address: string) => `Empty: ${address}`,
    credentials: 'Credentials, as JSON',
    ownCredentials: 'Names of your own: { "api_key": "..." }',
    storedOwn: (names: string) => `Stored: ${names}. Entering some replaces those of the same name.`,
    storedField: (description: string) => `${description} One is stored; empty: it stays.`,
    notSet: 'Not set',
    testRequest: 'Test, as JSON',
    testRequestHint: 'A GET request that works when the credentials do: { "path": "/me" }. null: none.',
    state: 'State',
    states: { unchecked: 'not tested', working: 'works', failing: 'fails' },
    used: 'Used',
    never: 'never',
    checked: (when: string) => `checked ${when}`,
    account: (account: string) => `as ${account}`,
    signedIn: (when: string) => `signed in ${when}`,
    saved: 'Saved',
    test: 'Test',
    works: (ms: number | null) => (ms === null ? 'It works' : `It works: answered in ${formatNumber(ms)} ms`),
    worksNot: (reason: string) => `It does not work: ${reason}`,
    signIn: 'Sign in',
    signInLead: (address: string) =>
      `For an integration with a client_id and a client_secret. The client has to name ${address} as its redirect address.`,
    begin: 'Begin',
    openPage: 'Open the page to sign in',
    delete: 'Delete',
    deleteAnyway: 'Delete anyway',
    deleted: (name: string) => `${name} was deleted`,
    deleteAsk: (name: string) => `Delete ${name}?`,
    deleteWhy: 'Its credentials are forgotten. This cannot be undone.',
    deleteForced: 'Tools name it, and cannot be used without it. This cannot be undone.',
  },
});

/** What the pages of integrations say. */
export type IntegrationsText = ReturnType<typeof useIntegrationsText>;
