import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { takesIfMatch } from '../resources/versions.ts';
import type { Route } from './define-route.ts';
import { problemOf } from './problem.ts';
import { conventionOf } from './replies/failure-form.ts';

/**
 * Returns the failure statuses that a route can respond with. They do not include 400, 405, 408 and 431 for input that
 * is no request to a route.
 */
export function failureStatuses(route: Omit<Route, 'handler'>): number[] {
  const { access, method } = route;
  const isSignedIn = access !== 'public';
  const isMember = isSignedIn && access !== 'signed_in';
  const isApi = conventionOf(route.path) !== 'operations';
  const possible: readonly [boolean, readonly number[]][] = [
    [isSignedIn, [401]],
    [isMember || route.rejectsManaged === true || route.ownPagesOnly === true, [403]],
    [isMember || route.params !== undefined, [404]],
    // The record that it belongs to may be removed in the meantime.
    [isMember && method !== 'get', [409]],
    [(route.body ?? route.upload ?? route.delivery) !== undefined, [413, 415]],
    [takesIfMatch(route), [412]],
    [route.response.download !== undefined, [416]],
    // Every route rejects unknown query parameters or an X-Org-Id that is no UUID.
    [isApi, [422, 429]],
    [true, [421, 500, 503, ...(route.errors ?? [])]],
  ];
  const statuses = possible.flatMap(([isPossible, ofIt]) => (isPossible ? ofIt : []));
  return [...new Set(statuses)].toSorted((a, b) => a - b);
}

/** Returns a response; throws when it has a field that its schema lacks, which would be sent anyway. */
export function checkAnswer(schema: z.ZodType, answer: unknown): unknown {
  const sent: unknown = JSON.parse(JSON.stringify(answer));
  if (!isDeepStrictEqual(schema.parse(sent), sent)) throw new Error('the response has fields that its schema lacks');
  return answer;
}

/** Returns the failure, or an internal error instead when the route does not declare its status. */
export function checkFailure(route: Route, error: unknown): unknown {
  const status = problemOf(error)?.status;
  if (status === undefined || failureStatuses(route).includes(status)) return error;
  return new Error(`${route.operationId} answers ${status}, which it does not declare`, { cause: error });
}
