import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Problem } from '../core/http/problem.ts';
import { useText } from '../core/text/text-context.tsx';
import classes from './connection-banner.module.css';

/** Says once, above the page, that the server cannot be reached; requests are repeated meanwhile. */
export function ConnectionBanner() {
  const text = useText();
  const cache = useQueryClient().getQueryCache();
  const isAway = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.getAll().some(({ state }) => isUnreached(state.fetchFailureReason ?? state.error)),
  );
  return <output className={classes.banner}>{isAway ? text.problem.offline : ''}</output>;
}

function isUnreached(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status === 503);
}
