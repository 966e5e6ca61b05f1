import type { Response } from 'express';
import type { Logger } from 'pino';
import {
  DatabaseBusy,
  isDatabaseAway,
  isDatabaseUnavailable,
  isForeignKeyViolation,
  isSerializationFailure,
  isStatementTimeout,
} from '../../db/core/unavailable.ts';
import { UnreadableSecret } from '../../db/core/secret-box.ts';
import { AppError, type AppErrorCode, type FieldFault, InvalidFields } from '../../domain/core/app-error.ts';
import { isMissing, withUnionIssues } from '../../domain/core/issues.ts';
import { outerName } from '../../domain/core/record-names.ts';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import { InvalidToken } from '../access/bearer.ts';
import { failureBody, failureHeaders } from './replies/failure-form.ts';

/** A response that says why a request failed: `{ detail }`, a text or a list of issues. */
export interface Problem {
  readonly status: number;
  readonly detail: string | readonly ValidationIssue[];
  readonly retryAfterSeconds: number | undefined;
  /** The value of `WWW-Authenticate` with a 401; the scheme alone unless given. */
  readonly challenge?: string;
  /** The id of an internal error in the log. */
  readonly requestId?: string;
}

/** One validation issue of a request: what is wrong with which field. */
export interface ValidationIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

const STATUS: Readonly<Record<AppErrorCode, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  misdirected: 421,
  unprocessable: 422,
  limit_reached: 429,
  upstream_failed: 502,
  unavailable: 503,
};

const UNAVAILABLE_RETRY_SECONDS = 2;

/** The request's data is invalid. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super('the request is invalid');
    this.issues = issues;
  }
}

/** Creates the error for a body that is not JSON. */
export function invalidJson(msg = 'the body is not JSON that can be read'): InvalidRequest {
  return new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg }]);
}

/** Creates the error for one field of a body, or for one within it. */
export function fieldIssue(path: string | readonly string[], msg: string): InvalidRequest {
  return new InvalidRequest([{ type: 'custom', loc: ['body', ...[path].flat()], msg }]);
}

/** The number of issues in one response: a body may have as many as it has values. */
const MAX_ISSUES = 50;

/**
 * Returns the issues that zod found in one part of a request; the first ones when there are many. `recordFields` are
 * the fields of the record that the route returns: one of them that the body may not have is not called unknown.
 */
export function issuesOf(
  error: z.ZodError,
  part: 'body' | 'query' | 'path',
  recordFields: readonly string[] = [],
): ValidationIssue[] {
  const issues = withUnionIssues(error.issues.slice(0, MAX_ISSUES)).flatMap((issue): ValidationIssue[] => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
        type: 'extra_forbidden',
        loc: [part, ...path, key],
        msg: unknownKey(part, path.length === 0 && recordFields.includes(key)),
      }));
    }
    return [{ type: isMissing(issue) ? 'missing' : issue.code, loc: [part, ...path], msg: issue.message }];
  });
  return issues.slice(0, MAX_ISSUES);
}

/** What is said of a field that the record has, when a request sends it that cannot set it. */
export const UNSETTABLE = 'this field cannot be set by this request';

function unknownKey(part: 'body' | 'query' | 'path', isOfRecord: boolean): string {
  if (isOfRecord) return UNSETTABLE;
  return part === 'query' ? 'this parameter does not exist' : 'this field does not exist';
}

function issueOfFault({ path: [field, ...within], message }: FieldFault): ValidationIssue {
  return { type: 'custom', loc: ['body', outerName(field), ...within], msg: message };
}

/** Returns the response to a failure. `undefined` means an internal error: the caller logs it and responds with 500. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof InvalidRequest) return { status: 422, detail: error.issues, retryAfterSeconds: undefined };
  if (error instanceof InvalidFields)
    return { status: 422, detail: error.faults.map(issueOfFault), retryAfterSeconds: undefined };
  if (error instanceof AppError) {
    return {
      status: STATUS[error.code],
      detail: error.code === 'unprocessable' ? [{ type: 'custom', loc: ['body'], msg: error.message }] : error.message,
      retryAfterSeconds: error.retryAfterSeconds,
      ...(error instanceof InvalidToken && { challenge: error.challenge }),
    };
  }
  if (isDatabaseUnavailable(error)) {
    return {
      status: 503,
      detail:
        error instanceof DatabaseBusy
          ? 'Your organization has too many requests in progress; try again shortly'
          : 'The database is not reachable; try again shortly',
      retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
    };
  }
  if (error instanceof UnreadableSecret) {
    const detail = 'A stored secret cannot be decrypted with the keys that the server has; it has to be set again';
    return { status: 503, detail, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS };
  }
  if (isStatementTimeout(error)) {
    const detail = 'The database took too long; request less, or try again later';
    return { status: 503, detail, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS };
  }
  if (isSerializationFailure(error)) {
    const detail = 'Other changes of the same records came in between; try again shortly';
    return { status: 503, detail, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS };
  }
  if (isForeignKeyViolation(error)) {
    return {
      status: 409,
      detail: 'The record that this belongs to has just been removed',
      retryAfterSeconds: undefined,
    };
  }
  return undefined;
}

/** The header of an answer that names its request, where clients expect one. */
export const REQUEST_ID = 'x-request-id';

/** The status of an internal error. */
export const INTERNAL_STATUS = 500;

/** Returns the public part of an internal error: an id that finds the rest in the log. */
export function internalProblem(requestId: string = uuidv7()): Problem {
  const detail = `Internal error; ask the operator for the request ${requestId}`;
  return { status: INTERNAL_STATUS, detail, retryAfterSeconds: undefined, requestId };
}

/** Returns the headers that belong to a problem. */
export function problemHeaders({ status, retryAfterSeconds, challenge, requestId }: Problem): Record<string, string> {
  return {
    ...(requestId !== undefined && { [REQUEST_ID]: requestId }),
    ...(status === 401 && { 'WWW-Authenticate': challenge ?? 'Bearer' }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
  };
}

/** Responds with a failure. An internal error is logged, and the caller gets a 500 with its id. */
export function sendFailure(error: unknown, response: Response, log: Logger): void {
  const problem = problemOf(error) ?? internalProblem(response.getHeader(REQUEST_ID)?.toString());
  if (problem.requestId !== undefined) {
    const { method, path } = response.req;
    log.error({ err: error, requestId: problem.requestId, method, path }, 'request failed');
  } else if (isDatabaseAway(error)) log.warn({ err: error }, 'a request could not be served without the database');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendProblem(problem, response);
}

/** Responds with a problem. */
export function sendProblem(problem: Problem, response: Response): void {
  const { path } = response.req;
  const headers = { ...problemHeaders(problem), ...failureHeaders(path, problem.status) };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.status(problem.status).json(failureBody(path, problem));
}
