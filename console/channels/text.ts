import { ownText } from '../core/text/text-context.tsx';

/** Returns what is said about channels, in the language of the page. */
export const useChannelsText = ownText({
  en: {
    title: 'Channels',
    lead: 'Slack apps and mailboxes in which agents answer members of the organization.',
    add: 'Add a channel',
    addLead: 'Its request URL then goes into the settings of the Slack app, or the mail service.',
    create: 'Add',
    empty: 'No channels yet',
    emptyWhy: 'People mention an agent in Slack or send it a mail, and it answers in the thread.',
    filter: 'Find a channel',
    none: 'No channels match.',
    kind: 'Kind',
    kinds: { email: 'E-mail', slack: 'Slack' },
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
    noIntegration: {
      email: 'No SMTP integration yet. Add one under Integrations.',
      slack: 'No Slack integration yet. Add one under Integrations.',
    },
    secret: 'Signing secret',
    secretHints: {
      email: 'What the mail service signs mails with. It is never shown again.',
      slack: 'From the settings of the Slack app, under Basic Information. It is never shown again.',
    },
    secretStored: 'A secret is stored. Enter another to replace it.',
    mailbox: 'Mail address',
    mailboxHint: 'Mail to it with a tag behind a plus sign has to be delivered, too: answers are replied to there.',
    mailService: 'Name of the mail service',
    mailServiceHint:
      'As it begins the Authentication-Results header that it adds. Only mail with dmarc=pass in there is answered.',
    matchesEmails: {
      email: 'Recognize members by their e-mail address',
      slack: 'Recognize members by their e-mail address in Slack',
    },
    matchesEmailHint:
      'By the address of their invitation, or that of an administrator. All others are told that the agent answers members only. Single people can be named in the JSON of the channel.',
    address: 'Request URL',
    addressLeads: {
      email: 'Where the mail service posts each mail as it was received, signed with the secret.',
      slack:
        'For the settings of the Slack app: under Event Subscriptions, with the events app_mention and message.im, and under Interactivity, so that approvals can be decided in Slack.',
    },
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
