import { WebhookVerificationError } from './errors.ts';

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

interface Delivery<T extends string> {
  /** The same for all attempts, by which repetitions can be recognized. */
  readonly id: string;
  readonly type: T;
  readonly created_at: string;
}

/** An agent has answered in a chat. */
export interface MessageCreated extends Delivery<'message.created'> {
  readonly chat: { readonly id: string; readonly title: string; readonly project_id: string | null };
  readonly message: {
    readonly id: string;
    readonly chat_id: string;
    readonly turn_id: string;
    readonly role: 'assistant';
    readonly content: string;
    readonly content_truncated: boolean;
    readonly created_at: string;
  } & Nullable<{
    agent_id: string;
    status: 'completed' | 'interrupted' | 'failed';
    error: string;
    finish_reason: string;
    usage: Usage;
  }>;
}

/** An agent has ended an attempt at a task. Destinations get it. */
export interface TaskEnded extends Omit<MessageCreated, 'type'>, Delivery<'task.ended'> {
  readonly task: { readonly id: string; readonly title: string };
}

/** A run of a workflow or of a schedule has ended. */
export interface RunEnded extends Delivery<'run.ended'> {
  readonly workflow: { readonly id: string; readonly name: string } | null;
  readonly schedule: { readonly id: string; readonly name: string } | null;
  readonly run: {
    readonly id: string;
    readonly status: 'completed' | 'interrupted' | 'failed';
    readonly triggered_by: string;
    readonly output_truncated: boolean;
    readonly created_at: string;
  } & Nullable<{ workflow_id: string; schedule_id: string; chat_id: string; output: string; error: string }> &
    Nullable<{ usage: Usage; started_at: string; completed_at: string }>;
}

/** A workflow or a schedule has not run: its times were missed, or it was paused. Sent to destinations. */
export interface RunMissed extends Delivery<'run.missed'> {
  readonly workflow: { readonly id: string; readonly name: string } | null;
  readonly schedule: { readonly id: string; readonly name: string } | null;
  readonly missed: { readonly kind: 'missed' | 'paused'; readonly at: string; readonly reason: string };
}

/** What a destination has collected, each with its `report`. */
export interface Digest extends Omit<Delivery<'digest'>, 'created_at'> {
  readonly reports: readonly (MessageCreated | TaskEnded | RunEnded | RunMissed)[];
}

/** The content of a webhook request; further types and fields may come. */
export type WebhookEvent = MessageCreated | TaskEnded | RunEnded | RunMissed | Digest;

interface Delivered {
  /** The body, byte by byte as it came. */
  readonly body: string | Uint8Array;
  /** The header `X-Everturn-Signature`. */
  readonly signature: string | null | undefined;
  readonly secret: string;
  /** How old it may be, in seconds: five minutes unless given. */
  readonly toleranceSeconds?: number;
}

/**
 * Returns the content of a webhook request. Throws a `WebhookVerificationError` unless it was signed with the secret
 * just now.
 */
export async function verifyWebhook({
  body,
  signature,
  secret,
  toleranceSeconds = 300,
}: Delivered): Promise<WebhookEvent> {
  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const parts = (signature ?? '').split(',').map((part) => part.trim());
  const time = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2);
  if (time === undefined) throw new WebhookVerificationError('The delivery has no signature');
  const signed = new Uint8Array([...encoder.encode(`${time}.`), ...bytes]);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  // While a secret is replaced there are two. `verify` compares in constant time.
  const digests = parts.filter((part) => /^v1=[0-9a-f]{64}$/.test(part)).map((part) => fromHex(part.slice(3)));
  const fits = await Promise.all(digests.map(async (digest) => crypto.subtle.verify('HMAC', key, digest, signed)));
  if (!fits.includes(true)) throw new WebhookVerificationError('The delivery was not signed with this secret');
  if (Math.abs(Date.now() / 1_000 - Number(time)) > toleranceSeconds)
    throw new WebhookVerificationError('The delivery was signed too long ago');
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
