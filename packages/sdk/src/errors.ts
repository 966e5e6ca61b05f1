import type { Schemas } from './api-types.ts';

/** What all errors of this package have in common. */
export class EverturnError extends Error {
  override readonly name: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server could not be reached, or the connection was lost before the answer was complete. */
export class APIConnectionError extends EverturnError {}

/** Nothing came from the server for too long. */
export class APITimeoutError extends APIConnectionError {}

/** A turn has failed: `message` is the reason, in readable words. */
export class TurnFailedError extends EverturnError {}

/** A webhook delivery was not signed with the secret, or too long ago. */
export class WebhookVerificationError extends EverturnError {}

/** A name for each status that the API documents. */
const CODES = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'too_large',
  415: 'unsupported_media_type',
  416: 'range_not_satisfiable',
  421: 'misdirected',
  422: 'unprocessable',
  429: 'limit_reached',
  500: 'internal',
  502: 'upstream_failed',
  503: 'unavailable',
} as const;

/** What kind of failure an answer is; `unknown` for one that something in front of the server has sent. */
export type APIErrorCode = (typeof CODES)[keyof typeof CODES] | 'unknown';

/** The server has answered that a request failed. */
export class APIError extends EverturnError {
  readonly status: number;
  readonly code: APIErrorCode;
  /** Finds the failure in the server's log; only of an internal error. */
  readonly requestId: string | undefined;
  /** What is wrong with which field; empty unless the status is 422. */
  readonly issues: readonly Schemas['ValidationIssue'][];
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(response: Pick<Response, 'status' | 'headers' | 'type' | 'url'>, body: unknown) {
    const detail = detailOf(body);
    const issues = typeof detail === 'object' ? detail : [];
    const reason = typeof detail === 'string' ? detail : issues.map(describeIssue).join('; ');
    super(reason || describeAnswer(response));
    this.status = response.status;
    this.code = (CODES as Record<number, APIErrorCode>)[response.status] ?? 'unknown';
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.issues = issues;
    this.retryAfterMs = retryAfterOf(response.headers);
  }
}

/** The key or token is missing, wrong, expired or revoked. */
export class AuthenticationError extends APIError {}
/** The caller may not do this; `message` names the missing right. */
export class PermissionDeniedError extends APIError {}
/** There is no such record for the caller. */
export class NotFoundError extends APIError {}
/** The request is in conflict with the current state. */
export class ConflictError extends APIError {}
/** The record was changed since it was read, as `If-Match` says. */
export class PreconditionFailedError extends APIError {}
/** The data is invalid: `issues` says where. */
export class ValidationError extends APIError {}
/** There was too much at once or in a minute. */
export class RateLimitError extends APIError {}
/** The server failed, or a part of it is down. */
export class ServerError extends APIError {}

const CLASSES: Readonly<Record<number, typeof APIError>> = {
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
};

/** Makes the error for an answer, whose body it reads. */
export async function errorOf(response: Response): Promise<APIError> {
  const body: unknown = await response.json().catch(() => undefined);
  const ErrorClass = CLASSES[response.status] ?? (response.status >= 500 ? ServerError : APIError);
  return new ErrorClass(response, body);
}

// Below `/v1` failures have the form of OpenAI's.
function detailOf(body: unknown): Schemas['Problem']['detail'] | undefined {
  const { detail, error } = (body ?? {}) as { detail?: unknown; error?: { message?: unknown } };
  if (Array.isArray(detail)) return detail as Schemas['ValidationIssue'][];
  return [detail, error?.message].find((text) => typeof text === 'string');
}

// A browser hides where it is redirected to.
function describeAnswer({ status, headers, type, url }: Pick<Response, 'status' | 'headers' | 'type' | 'url'>): string {
  const location = headers.get('location');
  if (location === null && type !== 'opaqueredirect') return `${url} answered with the status ${status} and no reason`;
  return `${url} redirects${location === null ? '' : ` to ${location}`}: use the address of the server itself`;
}

// What is said about the body as a whole has no path within it.
function describeIssue({ loc, msg }: Schemas['ValidationIssue']): string {
  return loc.length > 1 ? `${loc.join('.')}: ${msg}` : msg;
}

function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
