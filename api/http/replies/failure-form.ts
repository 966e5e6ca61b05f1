import { z } from 'zod';
import { notFound } from '../../../domain/core/app-error.ts';
import { problemSchema } from '../fields.ts';
import type { Problem, ValidationIssue } from '../problem.ts';

/** The status of a turn that has failed. */
const UPSTREAM_FAILED = 502;
/** The statuses of what is refused again however often it is sent, though OpenAI's clients send it again. */
const FINAL: ReadonlySet<number> = new Set([409, UPSTREAM_FAILED]);

/** Returns the body of the response to a failed request. */
export function failureBody(path: string, { status, detail }: Pick<Problem, 'status' | 'detail'>): object {
  const convention = conventionOf(path);
  if (convention === 'openai') return openAiError(status, detail);
  return isRpc(convention) ? rpcError(status, detail) : { detail };
}

/** Returns the form of the response to a failed request, and what begins the names of such forms. */
export function failureForm(path: string): { readonly schema: z.ZodType; readonly name: string } {
  const convention = conventionOf(path);
  if (convention === 'openai') return { schema: openAiErrorSchema, name: 'OpenAi' };
  return isRpc(convention) ? RPC_FORMS[convention] : { schema: problemSchema, name: '' };
}

/** Returns the headers that say more of a failure than its status. */
export function failureHeaders(path: string, status: number): Readonly<Record<string, string>> {
  return conventionOf(path) === 'openai' && FINAL.has(status) ? NO_RETRY : {};
}

/** Returns the event that ends a stream early; without a name where clients know no names. */
export function failureEvent(
  path: string,
  message: string,
): { readonly event: string | undefined; readonly data: object } {
  if (conventionOf(path) === 'openai') return { event: undefined, data: openAiError(UPSTREAM_FAILED, message) };
  return { event: 'error', data: { message } };
}

// Clients of OpenAI's API read failures as it sends them: https://platform.openai.com/docs/guides/error-codes, and the
// error classes of its official clients.

/** A failure as OpenAI's API sends it. */
const openAiErrorSchema = z
  .object({
    error: z
      .object({
        message: z.string().meta({ description: 'What went wrong, in readable words' }),
        type: z.string(),
        param: z.string().nullable().meta({ description: 'The invalid field' }),
        code: z.string().nullable(),
      })
      .meta({ id: 'OpenAiErrorDetails' }),
  })
  .meta({ id: 'OpenAiError' });

type OpenAiError = z.output<typeof openAiErrorSchema>;

/**
 * Keeps OpenAI's clients from repeating a request, as they do with what failed with 5xx or 409: a turn that failed has
 * tried all accounts, and would be run again.
 */
const NO_RETRY = { 'x-should-retry': 'false' } as const;

const SERVER_ERRORS = 500;
const MODEL_NOT_FOUND = notFound('Model').message;

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** Returns a failure as OpenAI's API sends it. */
function openAiError(status: number, detail: Problem['detail']): OpenAiError {
  const type = TYPES[status] ?? (status >= SERVER_ERRORS ? 'server_error' : 'invalid_request_error');
  const isModel = status === 404 && detail === MODEL_NOT_FOUND;
  const code = status === 401 ? 'invalid_api_key' : isModel ? 'model_not_found' : null;
  if (typeof detail === 'string') return { error: { message: detail, type, param: isModel ? 'model' : null, code } };
  const [first] = detail;
  return { error: { message: detail.map(describeIssue).join('; '), type, param: first ? fieldOf(first) : null, code } };
}

// https://www.jsonrpc.org/specification#error_object
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;

/** Returns the schema of a failure as JSON-RPC has it, under a name of its own. */
function rpcErrorSchema(name: string) {
  return z
    .object({
      jsonrpc: z.literal('2.0'),
      id: z
        .union([z.string(), z.number()])
        .nullable()
        .meta({ description: 'That of the message; null where it was not read' }),
      error: z
        .object({ code: z.int(), message: z.string().meta({ description: 'What went wrong, in readable words' }) })
        .meta({ id: `${name}FailureDetails` }),
    })
    .meta({ id: `${name}Failure` });
}

/** The protocols that send JSON-RPC. */
const RPC_FORMS = {
  mcp: { schema: rpcErrorSchema('Mcp'), name: 'Mcp' },
  a2a: { schema: rpcErrorSchema('A2a'), name: 'A2a' },
} as const;

type RpcError = z.output<ReturnType<typeof rpcErrorSchema>>;

function isRpc(convention: Convention): convention is keyof typeof RPC_FORMS {
  return Object.hasOwn(RPC_FORMS, convention);
}

/** Returns the JSON-RPC answer to a request that was rejected before its message was read. */
function rpcError(status: number, detail: Problem['detail']): RpcError {
  if (typeof detail === 'string') return rpcFailure(null, detail, status === 500 ? INTERNAL_ERROR : SERVER_ERROR);
  const isUnreadable = detail.some(({ type }) => type === 'json_invalid');
  return rpcFailure(null, detail.map(describeIssue).join('; '), isUnreadable ? PARSE_ERROR : INVALID_REQUEST);
}

/** Returns the answer of JSON-RPC to a message that failed. */
export function rpcFailure(id: string | number | null, message: string, code: number = SERVER_ERROR): RpcError {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Returns an issue of a request in one sentence. */
export function describeIssue(issue: ValidationIssue): string {
  const field = fieldOf(issue);
  return field === null ? issue.msg : `${field}: ${issue.msg}`;
}

/** Returns the way to the field that an issue is about; the part of the request, which comes first, is left out. */
function fieldOf({ loc }: ValidationIssue): string | null {
  const [, ...field] = loc;
  return field.length === 0 ? null : field.join('.');
}

/**
 * Whose conventions a path follows, in its failures above all: those of this API, of OpenAI's, of the Model Context
 * Protocol, or of the Agent2Agent protocol; `operations` are probes, metrics and documents.
 */
export type Convention = 'own' | 'openai' | 'mcp' | 'a2a' | 'operations';

/** The path at which the Model Context Protocol is spoken. */
export const MCP_PATH = '/mcp';

/** The path below which each published agent has one at which the Agent2Agent protocol is spoken. */
export const A2A_PATH = '/a2a/agents';

const OF_AGENT = /^\/a2a\/agents\/[^/]+\/?$/;

/** Returns whose conventions a path follows. */
export function conventionOf(path: string): Convention {
  if (path.startsWith('/v1/')) return 'openai';
  if (path === MCP_PATH || path === `${MCP_PATH}/`) return 'mcp';
  if (OF_AGENT.test(path)) return 'a2a';
  return path.startsWith('/api/') || path.startsWith(`${A2A_PATH}/`) ? 'own' : 'operations';
}
