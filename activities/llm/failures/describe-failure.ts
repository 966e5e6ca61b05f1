import { types } from 'node:util';
import { BlockedAddressError } from '../../core/network/address-guard.ts';
import { networkErrorOf } from '../../core/network/network-error.ts';
import { CallTimeout } from '../transport/call-limits.ts';
import {
  classifyReported,
  isBadKey,
  isClockOff,
  isFailureWithin,
  isOverloaded,
  isTooLong,
  isWithheld,
  isWebPage,
  isWithoutCredit,
} from './classify-failure.ts';
import type { ModelRequest } from '../model-adapter.ts';
import { secretsOf } from '../sign-in/secrets-of.ts';
import { ProviderFailure, scrub } from './provider-failure.ts';
import { ReportedError } from './reported-error.ts';

/** No response began; the cause says why. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * Turns any error that ended a call into a failure for the user: its message begins with the account's name and holds
 * no secret. `reason` is the reason of the abort, if there was one.
 */
export function toProviderFailure(error: unknown, request: FailedRequest, reason: unknown): ProviderFailure {
  const { words, ...options } = explain(reason instanceof CallTimeout ? reason : error, request);
  return new ProviderFailure(`${request.account.name} ${words}`, { cause: error, ...options });
}

/** What failed: the call of a model, or one without tools that is no part of a turn. */
export type FailedRequest = Pick<ModelRequest, 'account' | 'model'> & Partial<Pick<ModelRequest, 'tools'>>;

type Explanation = { readonly words: string } & Pick<ProviderFailure, 'kind' | 'retryAfterMs'> &
  Partial<Pick<ProviderFailure, 'isTooLong'>>;

function explain(error: unknown, request: FailedRequest): Explanation {
  if (error instanceof CallTimeout) return { words: error.message, kind: 'timeout', retryAfterMs: undefined };
  for (const cause of causesOf(error)) {
    const { message: words } = cause;
    if (cause instanceof ProviderFailure) return { words, kind: cause.kind, retryAfterMs: cause.retryAfterMs };
    if (cause instanceof BlockedAddressError) {
      return { words: `cannot be called: ${words}`, kind: 'rejected', retryAfterMs: undefined };
    }
  }
  if (error instanceof ReportedError) {
    const kind = classifyReported(error, (request.tools ?? []).length > 0);
    const words = describeReported(error, request);
    return { words, kind, retryAfterMs: error.retryAfterMs, isTooLong: isTooLong(error) };
  }
  const words =
    error instanceof Unreachable
      ? `could not be reached: ${describeNetwork(error, request)}`
      : 'closed the connection before its reply was complete';
  return { words, kind: 'outage', retryAfterMs: undefined };
}

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) yield cause;
}

function describeNetwork(error: Error, { account }: FailedRequest): string {
  let message = 'the cause is unknown';
  for (const cause of causesOf(error)) {
    const networkError = networkErrorOf(cause);
    if (networkError !== undefined) return networkError.words;
    message = cause.message || message;
  }
  return scrub(message, ...secretsOf(account));
}

function describeReported(error: ReportedError, request: FailedRequest): string {
  const detail = detailOf(error, secretsOf(request.account));
  const isOfTurn = request.tools !== undefined;
  if (isTooLong(error) && !isOfTurn)
    return `cannot accept a text: it is too long for the model "${request.model}" (${detail})`;
  if (isTooLong(error)) {
    return `cannot accept the conversation: it is too long for the model "${request.model}" (${detail}). Start a new chat, or exclude long messages from this one`;
  }
  if (isWithheld(error)) return `withheld the reply: its content filter stopped it (${detail})`;
  if (isWithoutCredit(error)) {
    const then = isOfTurn ? ', then send the message again' : '';
    return `has no credit left for this account (${detail}). Add credit at the provider${then}`;
  }
  if (error.httpStatus === undefined) return `reported an error in its reply: ${detail}`;
  if (isClockOff(error)) return `rejected the signature: the clock of the machine that calls is off (${detail})`;
  if (isBadKey(error)) return `rejected the credentials (${detail}). Check the account's API key`;
  if (isOverloaded(error)) return `is overloaded (${detail}). Try again later`;
  return describeStatus(error.httpStatus, detail, request.model);
}

function describeStatus(status: number, detail: string, model: string): string {
  switch (status) {
    case 403:
      return `denied access (${detail}). Check what the account's API key may use`;
    case 404:
      return `does not have the model "${model}", or not at this address (${detail}). Check the model's name and the account's base_url`;
    case 429:
      return `has reached the rate limit of this account (${detail}). Try again later`;
    default:
      return isFailureWithin(status) ? `failed (${detail}). Try again later` : `rejected the request (${detail})`;
  }
}

function detailOf(error: ReportedError, secrets: ReturnType<typeof secretsOf>): string {
  const said = scrub(error.message, ...secrets).replace(/(?<!\.)\.+$/, '');
  const { httpStatus } = error;
  if (httpStatus === undefined) return said === '' ? 'it gives no details' : said;
  if (isWebPage(error)) return `HTTP ${httpStatus} with a web page`;
  return said === '' ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${said}`;
}
