import type { Problem, ValidationIssue } from '../problem.ts';

// Clients of OpenAI's API call below /v1, and read failures as it sends them:
// https://platform.openai.com/docs/guides/error-codes, and the error classes of its official clients.

interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** Returns the body of the response to a failed request. */
export function failureBody(
  path: string,
  { status, detail }: Problem,
): { readonly detail: Problem['detail'] } | OpenAiError {
  return isForOpenAiClients(path) ? openAiError(status, detail) : { detail };
}

/** Returns the headers that say more of a failure than its status. */
export function failureHeaders(path: string, status: number): Readonly<Record<string, string>> {
  // The clients repeat what failed with 5xx. A turn that failed has tried all accounts, and would be run again.
  return isForOpenAiClients(path) && status === UPSTREAM_FAILED ? { 'x-should-retry': 'false' } : {};
}

/** Returns the event that ends a stream early; without a name where clients know no names. */
export function failureEvent(
  path: string,
  message: string,
): { readonly event: string | undefined; readonly data: object } {
  if (isForOpenAiClients(path)) return { event: undefined, data: openAiError(UPSTREAM_FAILED, message) };
  return { event: 'error', data: { message } };
}

const UPSTREAM_FAILED = 502;
const SERVER_ERRORS = 500;

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

function isForOpenAiClients(path: string): boolean {
  return path.startsWith('/v1/');
}

function openAiError(status: number, detail: Problem['detail']): OpenAiError {
  const type = TYPES[status] ?? (status >= SERVER_ERRORS ? 'server_error' : 'invalid_request_error');
  const code = status === 401 ? 'invalid_api_key' : null;
  if (typeof detail === 'string') return { error: { message: detail, type, param: null, code } };
  const [first] = detail;
  return { error: { message: detail.map(describe).join('; '), type, param: first ? fieldOf(first) : null, code } };
}

function describe(issue: ValidationIssue): string {
  return `${fieldOf(issue) ?? issue.loc.join(' ')}: ${issue.msg}`;
}

// The part of the request that it belongs to comes first.
function fieldOf({ loc }: ValidationIssue): string | null {
  const [, ...field] = loc;
  return field.length === 0 ? null : field.join('.');
}
