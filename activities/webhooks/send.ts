import { createHmac } from 'node:crypto';
import type { Attempt } from '../../db/webhooks/index.ts';
import { retryAfterMs } from '../../domain/network/index.ts';
import { type GuardedHttp, HttpFailure } from '../core/network/guarded-http.ts';

/** What is sent, and where. */
export interface Posted {
  readonly deliveryId: string;
  readonly url: string;
  readonly body: string;
  /** Those that sign; without one nothing does. */
  readonly secrets: readonly string[];
}

/** What came of sending something. */
export interface Sent extends Attempt {
  readonly isTaken: boolean;
  /** How long the receiver asks to wait, in milliseconds. */
  readonly retryAfter: number | undefined;
}

const TIME_LIMIT_MS = 10_000;

/**
 * Posts a delivery once. Redirects are not followed: the receiver is the one that was named. Only the status of the
 * answer is told, in words of ours; what else it holds could be anybody's.
 */
export async function post(
  http: GuardedHttp,
  { deliveryId, url, body, secrets }: Posted,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const { status, headers } = await http.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-everturn-delivery': deliveryId,
        ...(secrets.length > 0 && { 'x-everturn-signature': signatureOf(secrets, body, Date.now()) }),
      },
      body,
      followRedirects: false,
      timeoutMs: TIME_LIMIT_MS,
      // Nothing of an answer is used but its status, and one that never ends was given, too.
      maxBytes: 0,
      signal,
    });
    const isTaken = status >= 200 && status < 300;
    return {
      isTaken,
      status,
      error: isTaken ? null : wordsFor(status),
      retryAfter: isTaken ? undefined : retryAfterMs(headers),
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { isTaken: false, status: null, error: error.message, retryAfter: undefined };
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
