import type { z } from 'zod';
import { conventionOf } from '../convention.ts';
import { problemSchema } from '../fields.ts';
import type { Problem } from '../problem.ts';
import { openAiError, openAiErrorSchema, TELL_NOT_TO_RETRY } from './openai-failure.ts';
import { rpcError, rpcErrorSchema } from './rpc-failure.ts';

/** The status of a turn that has failed. */
const UPSTREAM_FAILED = 502;
/** The statuses of what is refused again however often it is sent, though OpenAI's clients send it again. */
const FINAL: ReadonlySet<number> = new Set([409, UPSTREAM_FAILED]);

/** Returns the body of the response to a failed request. */
export function failureBody(path: string, { status, detail }: Pick<Problem, 'status' | 'detail'>): object {
  const convention = conventionOf(path);
  if (convention === 'openai') return openAiError(status, detail);
  return convention === 'mcp' ? rpcError(status, detail) : { detail };
}

/** Returns the form of the response to a failed request, and what begins the names of such forms. */
export function failureForm(path: string): { readonly schema: z.ZodType; readonly name: string } {
  const convention = conventionOf(path);
  if (convention === 'openai') return { schema: openAiErrorSchema, name: 'OpenAi' };
  return convention === 'mcp' ? { schema: rpcErrorSchema, name: 'Mcp' } : { schema: problemSchema, name: '' };
}

/** Returns the headers that say more of a failure than its status. */
export function failureHeaders(path: string, status: number): Readonly<Record<string, string>> {
  return conventionOf(path) === 'openai' && FINAL.has(status) ? TELL_NOT_TO_RETRY : {};
}

/** Returns the event that ends a stream early; without a name where clients know no names. */
export function failureEvent(
  path: string,
  message: string,
): { readonly event: string | undefined; readonly data: object } {
  if (conventionOf(path) === 'openai') return { event: undefined, data: openAiError(UPSTREAM_FAILED, message) };
  return { event: 'error', data: { message } };
}
