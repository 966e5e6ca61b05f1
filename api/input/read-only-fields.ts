import { z } from 'zod';
import type { Route } from '../http/define-route.ts';

/**
 * Secrets that are shown once: no record that is read has them, and a client that sends one believes that it could
 * choose it.
 */
const SHOWN_ONCE: ReadonlySet<string> = new Set(['key', 'token']);

/**
 * Finds the fields of records that callers read and can set nowhere, such as `id` and `created_at`: fields of a route's
 * response that no route with the same response accepts.
 */
export function readOnlyFields(routes: readonly Route[]): ReadonlyMap<z.ZodType, ReadonlySet<string>> {
  const byRecord = Map.groupBy(routes, ({ response }) => response.schema);
  const found = [...byRecord].flatMap(([record, ofRecord]): [z.ZodType, Set<string>][] => {
    if (!(record instanceof z.ZodObject) || !('id' in record.shape)) return [];
    const settable = new Set(
      ofRecord.flatMap(({ body }) => (body instanceof z.ZodObject ? Object.keys(body.shape) : [])),
    );
    const names = Object.keys(record.shape).filter((name) => !settable.has(name) && !SHOWN_ONCE.has(name));
    return [[record, new Set(names)]];
  });
  return new Map(found);
}

/** The request that a body came with. */
interface Sent {
  /** Whether it creates a record. */
  readonly isNew: boolean;
  /** The organization that it is created in. */
  readonly orgId: string | undefined;
}

/**
 * Returns a body without the fields in `readOnly`: a client that changes or clones a record may post back what it was
 * shown. Fields that express an intention for a new record stay, so that they are rejected as unknown.
 */
export function withoutReadOnly(sent: unknown, readOnly: ReadonlySet<string> | undefined, request: Sent): unknown {
  if (readOnly === undefined || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const kept = Object.entries(sent).filter(([name, value]) => !readOnly.has(name) || isIntention(name, value, request));
  return Object.fromEntries(kept);
}

// A client that believes a key or an invite ends when, or is valid where, it said would not check again.
function isIntention(name: string, value: unknown, { isNew, orgId }: Sent): boolean {
  if (!isNew) return false;
  return name === 'expires_at' || (name === 'org_id' && !(typeof value === 'string' && value.toLowerCase() === orgId));
}
