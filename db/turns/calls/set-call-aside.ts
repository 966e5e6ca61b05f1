import type { Database } from '../../core/database.ts';
import type { BegunCall } from './begin-call.ts';

/**
 * Sets a call aside that has changed nothing, for so many milliseconds: as if this attempt at it had not begun, and
 * without its place. Nothing happens when a later attempt has begun, or the call has a result.
 */
export async function setCallAside(
  { tenant }: Database,
  orgId: string,
  { id, attempt, tries }: Pick<BegunCall, 'id' | 'attempt' | 'tries'>,
  waitMs: number,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'set-call-aside',
    text: `update tool_calls set status = 'planned', holder_id = null, tries = greatest($3 - 1, 0),
        not_before = now() + $4 * interval '1 millisecond'
      where id = $1 and attempt = $2 and status = 'running'`,
    values: [id, attempt, tries, waitMs],
  });
}
