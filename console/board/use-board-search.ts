import { useNavigate } from '@tanstack/react-router';
import type { BoardSearch } from './routes.ts';

/** Changes of what the address says; undefined takes a part away. */
type SearchChanges = { readonly [K in keyof BoardSearch]?: BoardSearch[K] | undefined };

/** Returns what changes some of what the address of the board says. */
export function useChangeSearch(): (changes: SearchChanges) => void {
  const navigate = useNavigate({ from: '/o/$orgId/board' });
  return (changes) =>
    void navigate({ search: (before: BoardSearch) => withoutUndefined({ ...before, ...changes }), replace: true });
}

function withoutUndefined(search: SearchChanges): BoardSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as BoardSearch;
}
