import { choiceParam, texts } from '../core/routing/search.ts';

/** What an entry can be narrowed by, as the api names it. */
export const FILTERS = ['actor_id', 'action', 'record_type', 'record_id', 'outcome', 'from', 'to'] as const;
export type FilterName = (typeof FILTERS)[number];

/** How an action may have ended. */
export const OUTCOMES = ['success', 'denied', 'failed'] as const;

/** Reads the filters of the address, and which entry is open. */
export function readFilters(search: Record<string, unknown>) {
  return {
    ...texts('actor_id', 'action', 'record_type', 'record_id', 'from', 'to', 'entry')(search),
    ...choiceParam(search, 'outcome', OUTCOMES),
  };
}

/** What the address of the audit log says. */
export type AuditSearch = ReturnType<typeof readFilters>;
