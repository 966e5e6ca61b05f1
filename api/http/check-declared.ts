import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Route } from './define-route.ts';
import { failureStatuses } from './failure-statuses.ts';
import { problemOf } from './problem.ts';

/** Returns a response; throws when it has a field that its schema lacks, which would be sent anyway. */
export function checkAnswer(schema: z.ZodType, answer: unknown): unknown {
  const sent: unknown = JSON.parse(JSON.stringify(answer));
  if (!isDeepStrictEqual(schema.parse(sent), sent)) throw new Error('the response has fields that its schema lacks');
  return answer;
}

/** Returns the failure, or an internal error in its place when the route does not declare its status. */
export function checkFailure(route: Route, error: unknown): unknown {
  const status = problemOf(error)?.status;
  if (status === undefined || failureStatuses(route).includes(status)) return error;
  return new Error(`${route.operationId} answers ${status}, which it does not declare`, { cause: error });
}
