import { ownText } from '../core/text/text-context.tsx';

/** Returns what is said about messages to the outside, in the language of the page. */
export const useWebhooksText = ownText({
  en: {
    notify: 'Tell an address of each run',
    notifyWhy: 'It gets a signed POST for each run that has ended, with its outcome.',
    url: 'Address',
    secret: 'Signing secret',
    secretStored: 'One is stored. Enter another to replace it.',
    secretHint: 'At least 8 characters. It is sent once and never shown again.',
    saved: 'Saved',
    paused: (why: string) => `Paused: ${why}`,
    deliveries: 'Deliveries',
    none: 'Nothing was told yet.',
    when: 'When',
    state: 'State',
    status: { pending: 'waiting', delivered: 'delivered', failed: 'given up' },
    attempts: 'Attempts',
    answer: 'Last answer',
    next: (time: string) => `again ${time}`,
    again: 'Deliver again',
    begun: 'It is being delivered again',
    action: 'Action',
  },
});

/** What is said about messages to the outside. */
export type WebhooksText = ReturnType<typeof useWebhooksText>;
