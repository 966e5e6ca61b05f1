import { createHash } from 'node:crypto';
import { z } from 'zod';

const sessionSchema = z.uuid();
const requestIdSchema = z.union([z.string(), z.number()]);

/**
 * Returns what a call of a session is found by when its client cancels it; undefined when it belongs to no session. A
 * session is nothing but its id, which the client was given: no process keeps it.
 */
export function callDigestOf(session: string | undefined, requestId: unknown): Buffer | undefined {
  const [known, id] = [sessionSchema.safeParse(session), requestIdSchema.safeParse(requestId)];
  if (!known.success || !id.success) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([known.data.toLowerCase(), id.data]))
    .digest();
}
