import type { Problem } from '../problem.ts';
import { describeIssue } from './issue-words.ts';

// https://www.jsonrpc.org/specification#error_object

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;

interface RpcError {
  readonly jsonrpc: '2.0';
  /** Null where the request was not read. */
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** Returns the answer of JSON-RPC to a request that was rejected before its message was looked at. */
export function rpcError(status: number, detail: Problem['detail']): RpcError {
  if (typeof detail === 'string') return rpcFailure(null, detail, status === 500 ? INTERNAL_ERROR : SERVER_ERROR);
  const isUnreadable = detail.some(({ type }) => type === 'json_invalid');
  return rpcFailure(null, detail.map(describeIssue).join('; '), isUnreadable ? PARSE_ERROR : INVALID_REQUEST);
}

/** Returns the answer of JSON-RPC to a message that failed. */
export function rpcFailure(id: string | number | null, message: string, code: number = SERVER_ERROR): RpcError {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
