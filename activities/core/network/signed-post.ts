import { createHmac } from 'node:crypto';
import { retryAfterMs } from '../../../domain/network/http-headers.ts';
import { type GuardedHttp, HttpFailure } from './guarded-http.ts';

/** A request to send. */
interface Posted {
  readonly deliveryId: string;
  readonly url: string;
  readonly body: string;
  /** Those that sign; without one nothing does. */
  readonly secrets: readonly string[];
  /** Further headers, and the type of a body that is no plain JSON. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The result of one delivery. */
export interface Sent {
  readonly isTaken: boolean;
  /** The status of the answer; null when none came, or the receiver has none. */
  readonly status: number | null;
  /** The error, in words; null when it was accepted completely. */
  readonly error: string | null;
  /** How long the receiver asks to wait, in milliseconds. */
  readonly retryAfter: number | undefined;
  /**
   * The kind of failure: the receiver is gone, it refuses the credentials, it rejects what was sent, or nobody who may
   * send it wants it sent; absent where another attempt may help.
   */
  readonly verdict?: 'gone' | 'refused' | 'rejected' | 'forbidden' | undefined;
}

/** The result of an attempt that was taken whole. */
export const TAKEN: Sent = { isTaken: true, status: null, error: null, retryAfter: undefined };
/** The result of an attempt that was not, without the reason. */
export const NOT_TAKEN = { isTaken: false, status: null, retryAfter: undefined } as const;

/** The error for a signing secret that cannot be decrypted. */
export const KEY_LOST =
  'It cannot be signed: the server does not have the key that the secret was encrypted with. Set the secret again';

const TIME_LIMIT_MS = 10_000;
const GONE = 410;
/** The statuses that say that the body is wrong for the receiver, rather than the address, the secret or the time. */
const REJECTIONS: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Posts a delivery once, with its signature. */
export async function postSigned(
  http: GuardedHttp,
  { deliveryId, url, body, secrets, headers: others }: Posted,
  signal: AbortSignal,
): Promise<Sent> {
  const headers = {
    'content-type': 'application/json',
    ...others,
    'x-everturn-delivery': deliveryId,
    ...(secrets.length > 0 && { 'x-everturn-signature': signatureOf(secrets, body, Date.now()) }),
  };
  return postOnce(http, { url, headers, body }, signal);
}

/** A request of whose response only the status counts. */
interface PostedOnce {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * Makes a POST request once. Redirects are not followed: the receiver is the one that was named. Errors say the status
 * only, since the body of a response may be from anybody.
 */
export async function postOnce(http: GuardedHttp, posted: PostedOnce, signal: AbortSignal): Promise<Sent> {
  try {
    const { status, headers } = await http.request({
      ...posted,
      method: 'POST',
      followRedirects: false,
      timeoutMs: TIME_LIMIT_MS,
      // A response that never ends counts as received.
      maxBytes: 0,
      signal,
    });
    const isTaken = status >= 200 && status < 300;
    return {
      isTaken,
      status,
      error: isTaken ? null : wordsFor(status),
      retryAfter: isTaken ? undefined : retryAfterMs(headers),
      verdict: status === GONE ? 'gone' : REJECTIONS.has(status) ? 'rejected' : undefined,
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { ...NOT_TAKEN, error: error.message };
  }
}

function wordsFor(status: number): string {
  if (status >= 300 && status < 400) return `The receiver redirects elsewhere (${status}), which is not followed`;
  return `The receiver answered with status ${status}`;
}

/**
 * Returns the value of `X-Everturn-Signature`: the time, and the digest of time and body by each secret. It is the form
 * that the webhooks of workflows take.
 */
function signatureOf(secrets: readonly string[], body: string, now: number): string {
  const time = Math.floor(now / 1_000);
  const digests = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
  return [`t=${time}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
}
