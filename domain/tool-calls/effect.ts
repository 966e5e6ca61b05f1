/**
 * The effect of repeating a call. `read` changes nothing and is repeated freely. `keyed` is repeated with the same
 * idempotency key. `once` is never repeated: after a crash its outcome is `unknown`. `agent` hands work to a sub-agent,
 * whose own turn is durable.
 */
export const EFFECTS = ['read', 'keyed', 'once', 'agent'] as const;
export type Effect = (typeof EFFECTS)[number];
