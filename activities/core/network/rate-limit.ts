import { retryAfterMs } from '../../../domain/network/http-headers.ts';
import type { GuardedResponse } from './guarded-http.ts';

/** The remaining requests that a response reports. */
type LimitedAnswer = Pick<GuardedResponse, 'status' | 'headers' | 'body'>;

/** How long a host is left alone that does not say for how long. */
export const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 24 * 3_600_000;
/** Numbers below are seconds from now, those above seconds since 1970. */
const FIRST_EPOCH_SECOND = 1_000_000_000;
/** Numbers from here on are milliseconds since 1970. */
const FIRST_EPOCH_MILLISECOND = 1_000_000_000_000;
/** The headers in which hosts name the time when their limit resets; the last is Linear's. */
const RESET_HEADERS = ['x-ratelimit-reset', 'ratelimit-reset', 'x-ratelimit-requests-reset'];
/** The bytes of an answer that are searched for a number. */
const SEARCHED_BYTES = 4_096;

/**
 * Returns how long a host asks to be left alone, in milliseconds; undefined when it does not. GitHub says so with 403
 * as well as with 429: then by its headers alone, since what a body says may repeat what somebody else has written.
 */
export function askedWaitMs(answer: LimitedAnswer, now: number): number | undefined {
  const { status, headers } = answer;
  const isLimit = status === 429 || (status === 403 && (headers.has('retry-after') || isUsedUp(answer)));
  if (!isLimit) return undefined;
  return status === 429 ? limitWaitMs(answer, now) : headerWaitMs(answer, now);
}

/** Returns how long to wait after a response that reports a limit, in milliseconds. */
export function limitWaitMs(answer: Omit<LimitedAnswer, 'status'>, now: number): number {
  return bounded(retryAfterMs(answer.headers)) ?? saidWaitMs(answer) ?? headerWaitMs(answer, now);
}

function headerWaitMs(answer: Pick<LimitedAnswer, 'headers'>, now: number): number {
  return bounded(retryAfterMs(answer.headers)) ?? untilResetMs(answer, now) ?? DEFAULT_WAIT_MS;
}

/**
 * Returns how long to wait before the next request: until the host's limit resets, when the last one has used it up.
 */
export function pauseMs(answer: LimitedAnswer, now: number): number {
  return isUsedUp(answer) ? (untilResetMs(answer, now) ?? 0) : 0;
}

function isUsedUp({ headers }: Pick<LimitedAnswer, 'headers'>): boolean {
  return (headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining')) === '0';
}

function beginningOf({ body }: Pick<LimitedAnswer, 'body'>): string {
  return body.subarray(0, SEARCHED_BYTES).toString().toLowerCase();
}

// Telegram says it in the body only: `{ "parameters": { "retry_after": 5 } }`.
function saidWaitMs(answer: Pick<LimitedAnswer, 'body'>): number | undefined {
  const seconds = /"retry_after"\s{0,9}:\s{0,9}(?<seconds>\d{1,6})/.exec(beginningOf(answer))?.groups?.['seconds'];
  return seconds === undefined ? undefined : bounded(Number(seconds) * 1_000);
}

function untilResetMs({ headers }: Pick<LimitedAnswer, 'headers'>, now: number): number | undefined {
  const name = RESET_HEADERS.find((each) => headers.has(each));
  const value = Number((name === undefined ? null : headers.get(name)) ?? Number.NaN);
  if (value >= FIRST_EPOCH_MILLISECOND) return bounded(value - now);
  return bounded(value >= FIRST_EPOCH_SECOND ? value * 1_000 - now : value * 1_000);
}

// Times are whole seconds, and the clocks of two machines differ.
function bounded(waitMs = Number.NaN): number | undefined {
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0) + 1_000, MAX_WAIT_MS) : undefined;
}
