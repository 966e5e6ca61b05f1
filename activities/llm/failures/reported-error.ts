import { retryAfterMs } from '../../../domain/network/http-headers.ts';
import type { StreamedResponse } from '../../core/network/guarded-fetch.ts';
import { readStart } from '../transport/event-stream.ts';
import { asList, asNumber, asObject, asText, parseJson } from '../transport/json.ts';
import { MAX_SAID_CHARACTERS } from './provider-failure.ts';

const MAX_ERROR_BYTES = 65_536;

/** The number of details of an error that are read, and the longest code in one. */
const MAX_DETAILS = 20;
const MAX_WORD_CHARACTERS = 100;

/** An error that a provider reports, in any wire format: by an HTTP status, or inside a response that had begun. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError';
  /** Absent when it came inside a response. */
  readonly httpStatus: number | undefined;
  /** The HTTP status, or the one that the error's code corresponds to. */
  readonly status: number | undefined;
  /** All machine-readable codes of the error, such as `insufficient_quota`. */
  readonly codes: readonly string[];
  readonly retryAfterMs: number | undefined;

  /** `said` is the body of the error, JSON or text. */
  constructor(said: unknown, response?: Omit<StreamedResponse, 'body'>) {
    const error = errorIn(said);
    super(messageOf(error).slice(0, MAX_SAID_CHARACTERS));
    this.httpStatus = response?.status;
    this.codes = [...codesOf(error), ...codeInHeader(response?.headers)];
    this.status = this.httpStatus ?? statusIn(error, this.codes);
    this.retryAfterMs = retryAfterMs(response?.headers, retryDelayOf(error));
  }
}

/** Reads the error from a response with an error status. */
export async function readReportedError(response: StreamedResponse): Promise<ReportedError> {
  const text = response.body === null ? '' : await readStart(response.body, MAX_ERROR_BYTES);
  return new ReportedError(parseJson(text) ?? text, response);
}

// Some gateways leave the `error` around it out.
function errorIn(said: unknown): unknown {
  const whole: unknown = Array.isArray(said) ? said[0] : said;
  return errorInside(whole) ?? whole;
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, Message: awsMessage, detail } = asObject(error);
  const said = asText(message) || asText(awsMessage) || asText(detail);
  return said === '' && error != null && typeof error === 'object' ? JSON.stringify(error) : said;
}

function codesOf(error: unknown): string[] {
  const { code, type, status, details } = asObject(error);
  const reasons = firstDetails(details).map((detail) => asObject(detail)['reason']);
  return [code, type, status, ...reasons].map(wordOf).filter((word) => word !== '');
}

// AWS names the kind of an error in a header, with an address after it.
function codeInHeader(headers: StreamedResponse['headers'] | undefined): string[] {
  const [code = ''] = (headers?.get('x-amzn-errortype') ?? '').split(':', 1);
  return code === '' || code.length > MAX_WORD_CHARACTERS ? [] : [code];
}

function retryDelayOf(error: unknown): string {
  const delays = firstDetails(asObject(error)['details']).map((detail) => wordOf(asObject(detail)['retryDelay']));
  return delays.find((delay) => delay !== '') ?? '';
}

function firstDetails(details: unknown): readonly unknown[] {
  return asList(details).slice(0, MAX_DETAILS);
}

// A longer text is prose for people, not a code.
function wordOf(value: unknown): string {
  const word = asText(value);
  return word.length > MAX_WORD_CHARACTERS ? '' : word;
}

// The codes of OpenAI, Anthropic, Google and Amazon, each with the status that accompanies it outside a stream.
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map([
  ['rate_limit_exceeded', 429],
  ['rate_limit_error', 429],
  ['tokens_exceeded', 429],
  ['RESOURCE_EXHAUSTED', 429],
  ['insufficient_quota', 429],
  ['billing_error', 402],
  ['overloaded_error', 529],
  ['server_overloaded', 529],
  ['UNAVAILABLE', 503],
  ['api_error', 500],
  ['server_error', 500],
  ['internal_server_error', 500],
  ['INTERNAL', 500],
  ['timeout_error', 504],
  ['DEADLINE_EXCEEDED', 504],
  ['insufficient_balance', 402],
  ['content_filter', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['UNAUTHENTICATED', 401],
  ['permission_error', 403],
  ['PERMISSION_DENIED', 403],
  ['not_found_error', 404],
  ['model_not_found', 404],
  ['NOT_FOUND', 404],
  ['request_too_large', 413],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['throttlingException', 429],
  ['modelStreamErrorException', 424],
  ['modelTimeoutException', 408],
  ['internalServerException', 500],
  ['serviceUnavailableException', 503],
  ['validationException', 400],
]);

function statusIn(error: unknown, codes: readonly string[]): number | undefined {
  const { code, status } = asObject(error);
  const number = [code, status]
    .map((value) => asNumber(value) ?? Number(wordOf(value)))
    .find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  return number ?? codes.map((word) => STATUS_OF_CODE.get(word)).find((value) => value !== undefined);
}

/**
 * The codes of MiniMax's `base_resp` with the words that accompany them in other formats. Others are failures within.
 * Source: https://platform.minimax.io/docs/api-reference/errorcode
 */
const MINIMAX_CODES: ReadonlyMap<number, string> = new Map([
  [1001, 'timeout_error'],
  [1002, 'rate_limit_exceeded'],
  [1004, 'invalid_api_key'],
  [1008, 'insufficient_balance'],
  [1026, 'content_filter'],
  [1027, 'content_filter'],
  [1039, 'context_length_exceeded'],
  [1041, 'rate_limit_exceeded'],
  [2013, 'invalid_request_error'],
  [2045, 'rate_limit_exceeded'],
  [2049, 'invalid_api_key'],
  [2056, 'rate_limit_exceeded'],
]);

/** Returns the error in an answer, or in a chunk of it, whose status is a success; undefined without one. */
export function errorInside(answer: unknown): unknown {
  // Google wraps errors in a list unless it streams.
  const { error, base_resp: outcome } = asObject(Array.isArray(answer) ? answer[0] : answer);
  return error ?? minimaxError(outcome);
}

function minimaxError(outcome: unknown): unknown {
  const { status_code: status, status_msg: message } = asObject(outcome);
  const code = asNumber(status);
  if (code === undefined || code === 0) return undefined;
  return { code: MINIMAX_CODES.get(code) ?? 'api_error', message: `${asText(message)} (${code})` };
}
