import { ownText } from '../core/text/text-context.tsx';

/** Returns what is said about channels, in the language of the page. */
export const useChannelsText = ownText({
  en: {
    title: 'Channels',
    lead: 'Slack apps in which agents answer members of the organization.',
    add: 'Add a channel',
    addLead: 'Its address then goes into the settings of the Slack app.',
    create: 'Add',
    empty: 'No channels yet',
    emptyWhy: 'People mention an agent in Slack, and it answers in the thread.',
    filter: 'Find a channel',
    none: 'No channels match.',
    kinds: { slack: 'Slack' },
    name: 'Name',
    state: 'State',
    on: 'on',
    off: 'off',
    failing: 'failing',
    failed: (why: string) => `The last message was not answered: ${why}`,
    agent: 'Agent',
    agentHint: 'Answers new threads.',
    integration: 'Integration',
    integrationHint: 'Answers are sent with its credentials. When those change, choose it here again.',
    noIntegration: 'No Slack integration yet. Add one under Integrations.',
    secret: 'Signing secret',
    secretHint: 'From the settings of the Slack app, under Basic Information. It is never shown again.',
    secretStored: 'A secret is stored. Enter another to replace it.',
    matchesEmail: 'Recognize members by their e-mail address in Slack',
    matchesEmailHint:
      'By the address of their invitation, or that of an administrator. All others are told that the agent answers members only. Single people can be named in the JSON of the channel.',
    address: 'Request URL',
    addressLead:
      'For the settings of the Slack app: under Event Subscriptions, with the events app_mention and message.im, and under Interactivity, so that approvals can be decided in Slack.',
    saved: 'Saved',
    turnOff: 'Turn off',
    turnOn: 'Turn on',
    offNow: 'Messages are ignored',
    onNow: 'Messages are answered',
    delete: 'Delete',
    deleteAsk: (name: string) => `Delete “${name}”?`,
    deleteWhy: 'Nobody is answered there any more. Its chats are kept.',
    deleted: (name: string) => `“${name}” was deleted`,
  },
});

/** What is said about channels. */
export type ChannelsText = ReturnType<typeof useChannelsText>;
