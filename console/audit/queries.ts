import { type Pages, useAnswerPages } from '../core/http/use-answer.ts';
import type { components, paths } from '../openapi.ts';
import type { AuditSearch } from './filters.ts';

export type AuditEntry = components['schemas']['AuditEntry'];
type AuditQuery = NonNullable<paths['/api/audit']['get']['parameters']['query']>;

/** How many entries the server counts, and leads through, at most: beyond it one narrows the time. */
export const MOST_COUNTED = 10_000;

/** Returns entries of the audit log before a time, newest first: later ones do not push the others to other pages. */
export function useAuditEntries({ entry: _entry, ...filters }: AuditSearch, until: string): Pages<AuditEntry> {
  const narrowed = { to: until, ...filters } as AuditQuery;
  return useAnswerPages(['audit', narrowed], '/api/audit', { params: { query: narrowed } });
}
