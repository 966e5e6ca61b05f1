import { QueryClient, replaceEqualDeep } from '@tanstack/react-query';
import { hasSourceNumber } from '../../../domain/core/exact-json.ts';
import { Problem } from './problem.ts';

const MOST_TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/**
 * Makes the cache of what the server has said. Rows are read again when the tab is looked at; passing faults are tried
 * again.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        structuralSharing: kept,
        retry: (failures, error) => failures < MOST_TRIES && error instanceof Problem && error.isPassing,
        retryDelay: (failures, error) => waitMs(failures, error),
      },
    },
  });
}

// What is equal stays the same value. The library would copy exact numbers as if they were records.
function kept(before: unknown, data: unknown): unknown {
  if (!hasSourceNumber(data)) return replaceEqualDeep(before, data);
  return JSON.stringify(before) === JSON.stringify(data) ? before : data;
}

function waitMs(failures: number, error: unknown): number {
  const asked = error instanceof Problem ? error.retryAfterSeconds : undefined;
  return Math.min(LONGEST_WAIT_MS, asked === undefined ? 500 * 2 ** failures : asked * 1000);
}
