import { asNumber, asObject, asText } from '../transport/json.ts';

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

/** Returns the error that an answer or a chunk of it holds although its status is a success; undefined without one. */
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
