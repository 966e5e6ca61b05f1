import { ownText } from '../core/text/text-context.tsx';

/** Returns what is said about messages to the outside, in the language of the page. */
export const useWebhooksText = ownText({
  en: {
    notify: 'Notify a URL',
    notifyWhy: 'Receives a signed POST with the outcome when a run ends.',
    url: 'URL',
    secret: 'Signing secret',
    secretStored: 'A secret is stored. Enter another to replace it.',
    secretHint: 'At least 8 characters. It is sent once and never shown again.',
    saved: 'Saved',
    paused: (why: string) => `Paused: ${why}`,
    deliveries: 'Deliveries',
    none: 'No deliveries yet.',
    when: 'When',
    of: 'About',
    events: { 'message.created': 'an answer', 'task.ended': 'a task', 'run.ended': 'a run', 'run.missed': 'no run' },
    state: 'State',
    status: { pending: 'waiting', delivered: 'delivered', failed: 'given up' },
    attempts: 'Attempts',
    accepted: 'accepted',
    answer: 'Last answer',
    next: (time: string) => `next attempt ${time}`,
    again: 'Deliver again',
    begun: 'Delivering again',
    action: 'Action',
  },
});

/** What is said about messages to the outside. */
export type WebhooksText = ReturnType<typeof useWebhooksText>;
