import { Problem } from '../core/http/problem.ts';

/** Returns a problem of which what is said about the credentials stands at the field of the key. */
export function atKeyField(problem: Problem): Problem {
  const { credentials, ...fields } = problem.fields;
  if (credentials === undefined) return problem;
  const { status, message, retryAfterSeconds } = problem;
  return new Problem(status, message, { fields: { ...fields, api_key: credentials }, retryAfterSeconds });
}
