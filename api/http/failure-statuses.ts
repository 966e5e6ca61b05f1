import type { Route } from './define-route.ts';

/**
 * Returns the statuses other than success that a route can answer with. Not among them are 400, 405, 408 and 431 for what
 * cannot be read as a request to a route.
 */
export function failureStatuses(route: Omit<Route, 'handler'>): number[] {
  const { access, method } = route;
  const isSignedIn = access !== 'public';
  const isMember = isSignedIn && access !== 'signed_in';
  const isApi = route.path.startsWith('/api/');
  const possible: readonly [boolean, readonly number[]][] = [
    [isSignedIn, [401]],
    [isMember || route.rejectsManaged === true, [403]],
    [isMember || route.params !== undefined, [404]],
    // What it belongs to may be removed while it is written.
    [isMember && method !== 'get', [409]],
    [route.body !== undefined, [413, 415]],
    // Every route refuses parameters of a query that it does not know.
    [isApi, [422, 429]],
    [true, [421, 500, 503, ...(route.errors ?? [])]],
  ];
  const statuses = possible.flatMap(([isPossible, ofIt]) => (isPossible ? ofIt : []));
  return [...new Set(statuses)].toSorted((a, b) => a - b);
}
