import { z } from 'zod';
import type { Problem } from '../problem.ts';
import { describeIssue } from './issue-words.ts';

// https://www.jsonrpc.org/specification#error_object

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;

/** A failure as JSON-RPC has it. */
export const rpcErrorSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z
      .union([z.string(), z.number()])
      .nullable()
      .meta({ description: 'That of the message; null where it was not read' }),
    error: z
      .object({ code: z.int(), message: z.string().meta({ description: 'What went wrong, in readable words' }) })
      .meta({ id: 'McpFailureDetails' }),
  })
  .meta({ id: 'McpFailure' });

type RpcError = z.output<typeof rpcErrorSchema>;

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
