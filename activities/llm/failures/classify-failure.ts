import type { FailureKind } from './provider-failure.ts';
import type { ReportedError } from './reported-error.ts';

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
export function isTooLong({ status, codes, message }: ReportedError): boolean {
  if (codes.includes('context_length_exceeded') || status === 413) return true;
  return (status === undefined || status === 400 || status === 422) && TOO_LONG.test(message);
}

/** Returns whether a content filter rejected the conversation itself, as Azure's does. */
export function isWithheld({ status, codes }: ReportedError): boolean {
  return status === 400 && codes.includes('content_filter');
}

/** Returns whether the account is out of credit. */
export function isWithoutCredit({ status, codes, message }: ReportedError): boolean {
  if (status === 402 || codes.some((code) => NO_CREDIT.test(code))) return true;
  // MiniMax says it with 500.
  return (status === 400 || status === 403 || status === 500) && NO_CREDIT.test(message);
}

/** Returns whether the provider is overloaded, whoever calls. */
export function isOverloaded({ status, codes, message }: ReportedError): boolean {
  return status === 529 || (status === 503 && OVERLOADED.test([...codes, message].join(' ')));
}

/** Returns whether AWS rejects a signature for its time, as after a retry with the time that AWS told. */
export function isClockOff({ status, message }: ReportedError): boolean {
  return status === 403 && CLOCK_OFF.test(message);
}

/** Returns whether the key is wrong or lacks the right. */
export function isBadKey({ status, codes }: ReportedError): boolean {
  return status === 401 || codes.some((code) => BAD_KEY.test(code));
}

/** Returns whether the response is an HTML page: it comes from a gateway or a firewall, not from the provider's API. */
export function isWebPage({ message }: ReportedError): boolean {
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

/** Returns whether a status tells of a failure within the provider; 408 and 424 are AWS's words for its models. */
export function isFailureWithin(status: number): boolean {
  return status >= 500 || status === 408 || status === 424;
}

function kindOfStatus(error: ReportedError): FailureKind {
  const { status, codes, message } = error;
  if (status === undefined || isFailureWithin(status)) return 'outage';
  const isDenied = status === 403 && !codes.includes('model_not_found') && !DENIED_MODEL.test(message);
  if (isDenied) return isWebPage(error) ? 'outage' : 'credentials';
  return status >= 400 ? 'rejected' : 'outage';
}
