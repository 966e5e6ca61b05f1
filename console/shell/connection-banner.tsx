import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { Problem } from '../core/http/problem.ts';
import { useText } from '../core/text/text-context.tsx';
import classes from './connection-banner.module.css';

/** How often it is tried again what was given up. */
const AGAIN_MS = 5_000;

/** Says once, above the page, that the server cannot be reached, and asks again for what the page shows meanwhile. */
export function ConnectionBanner() {
  const text = useText();
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const isAway = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.getAll().some(isMissed),
  );
  useEffect(() => {
    if (!isAway) return undefined;
    // What still waits for its next try of its own is left to that.
    const again = setInterval(() => void client.refetchQueries({ fetchStatus: 'idle', predicate: isMissed }), AGAIN_MS);
    return () => clearInterval(again);
  }, [isAway, client]);
  return <output className={classes.banner}>{isAway ? text.problem.offline : ''}</output>;
}

/** Returns whether the page shows what could not be read; what other pages have asked for counts no more. */
function isMissed(query: Query): boolean {
  return query.getObserversCount() > 0 && isUnreached(query.state.fetchFailureReason ?? query.state.error);
}

function isUnreached(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status === 503);
}
