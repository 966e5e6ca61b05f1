import { types } from 'node:util';
import { BlockedAddressError } from '../../core/network/guarded-connect.ts';
import { networkErrorOf } from '../../core/network/guarded-http.ts';
import { type ModelRequest, secretsOf } from '../model-adapter.ts';
import { CallTimeout } from '../transport/call-limits.ts';
import { type FailureKind, ProviderFailure, scrub } from './provider-failure.ts';
import { ReportedError } from './reported-error.ts';

/** No response began; the cause says why. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * Turns any error that ended a call into a failure for the user: its message begins with the account's name and
 * contains no secret. `reason` is the reason of the abort, if there was one.
 */
export function toProviderFailure(error: unknown, request: FailedRequest, reason: unknown): ProviderFailure {
  const { words, ...options } = explain(reason instanceof CallTimeout ? reason : error, request);
  return new ProviderFailure(`${request.account.name} ${words}`, { cause: error, ...options });
}

/** The request that failed: the call of a model, or one without tools that is no part of a turn. */
type FailedRequest = Pick<ModelRequest, 'account' | 'model'> & Partial<Pick<ModelRequest, 'tools'>>;

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

const TOO_LONG =
  /context.{0,20}(length|window|limit|size)|(prompt|input) is too long|too many (input )?tokens|maximum(?!.{0,30}output).{0,30}tokens|token count.{0,40}exceeds/i;
const NO_CREDIT = /insufficient[_ ](quota|balance|funds|credits?)|billing|credit balance is too low/i;
const OVERLOADED = /overloaded|at capacity|slow_down/i;
const BAD_KEY =
  /^(API_KEY_INVALID|invalid_api_key|authentication_error|UNAUTHENTICATED|InvalidSignatureException|UnrecognizedClientException|ExpiredTokenException)$/;
const CLOCK_OFF = /signature (expired|not yet current)|time too skewed/i;

/** One model is denied, where AWS denies access; the account may use others. */
const DENIED_MODEL = /access to the model/i;
const ABOUT_TOOLS = /\btools?\b|tool[ _-]?(us|call|choice)|function[ _-]?call/i;
const NOT_TAKEN =
  /not (be )?(support|enabl|allow|available|permit|recogni)|n't support|unsupported|unrecogni[sz]ed|unknown (field|parameter|argument)|only supports|requires --|no endpoints found/i;

/** Returns whether the conversation has more tokens than the model accepts. */
function isTooLong({ status, codes, message }: ReportedError): boolean {
  if (codes.includes('context_length_exceeded') || status === 413) return true;
  return (status === undefined || status === 400 || status === 422) && TOO_LONG.test(message);
}

/** Returns whether a content filter rejected the conversation itself, as Azure's does. */
function isWithheld({ status, codes }: ReportedError): boolean {
  return status === 400 && codes.includes('content_filter');
}

/** Returns whether the account is out of credit. */
function isWithoutCredit({ status, codes, message }: ReportedError): boolean {
  if (status === 402 || codes.some((code) => NO_CREDIT.test(code))) return true;
  // MiniMax says it with 500.
  return (status === 400 || status === 403 || status === 500) && NO_CREDIT.test(message);
}

/** Returns whether the provider is overloaded for all callers. */
function isOverloaded({ status, codes, message }: ReportedError): boolean {
  return status === 529 || (status === 503 && OVERLOADED.test([...codes, message].join(' ')));
}

/** Returns whether AWS rejects a signature for its time, as after a retry with the time that AWS reported. */
function isClockOff({ status, message }: ReportedError): boolean {
  return status === 403 && CLOCK_OFF.test(message);
}

/** Returns whether the key is wrong or lacks the right. */
function isBadKey({ status, codes }: ReportedError): boolean {
  return status === 401 || codes.some((code) => BAD_KEY.test(code));
}

/** Returns whether the response is an HTML page: it comes from a gateway or a firewall, not from the provider's API. */
function isWebPage({ message }: ReportedError): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(message);
}

/** Classifies an error that a provider reports; `sentTools` says whether the request offered any. */
export function classifyReported(error: ReportedError, sentTools: boolean): FailureKind {
  if (isTooLong(error) || isWithheld(error)) return 'rejected';
  if (isWithoutCredit(error) || isOverloaded(error) || error.status === 429) return 'busy';
  if (isClockOff(error)) return 'outage';
  if (isBadKey(error)) return 'credentials';
  if (sentTools && isAgainstTools(error)) return 'no_tools';
  return kindOfStatus(error);
}

function isAgainstTools({ status, message }: ReportedError): boolean {
  // llama.cpp responds with 500, OpenRouter with 404. An error in one tool's schema is no reason to withdraw all tools.
  const canBe = status === undefined || [400, 404, 422, 500, 501].includes(status);
  return canBe && ABOUT_TOOLS.test(message) && NOT_TAKEN.test(message) && !/schema/i.test(message);
}

/** Returns whether a status means a failure within the provider; 408 and 424 are AWS's words for its models. */
function isFailureWithin(status: number): boolean {
  return status >= 500 || status === 408 || status === 424;
}

function kindOfStatus(error: ReportedError): FailureKind {
  const { status, codes, message } = error;
  if (status === undefined || isFailureWithin(status)) return 'outage';
  const isDenied = status === 403 && !codes.includes('model_not_found') && !DENIED_MODEL.test(message);
  if (isDenied) return isWebPage(error) ? 'outage' : 'credentials';
  return status >= 400 ? 'rejected' : 'outage';
}
