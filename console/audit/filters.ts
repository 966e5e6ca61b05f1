import { choiceParam, textParam } from '../core/routing/search.ts';

/** What an entry can be narrowed by, as the api names it. */
export const FILTERS = ['actor_id', 'action', 'record_type', 'record_id', 'outcome', 'from', 'to'] as const;
export type FilterName = (typeof FILTERS)[number];

/** How an action may have ended. */
export const OUTCOMES = ['success', 'denied', 'failed'] as const;

/** Reads the filters of the address, and which entry is open. */
export function readFilters(search: Record<string, unknown>) {
  return {
    ...textParam(search, 'actor_id'),
    ...textParam(search, 'action'),
    ...textParam(search, 'record_type'),
    ...textParam(search, 'record_id'),
    ...choiceParam(search, 'outcome', OUTCOMES),
    ...textParam(search, 'from'),
    ...textParam(search, 'to'),
    ...textParam(search, 'entry'),
  };
}

/** What the address of the audit log says. */
export type AuditSearch = ReturnType<typeof readFilters>;
