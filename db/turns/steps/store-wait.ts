import type { Database } from '../../core/database.ts';
import { IS_PLACE_WANTED } from '../admission/places.ts';
import type { StepRef } from './step-ref.ts';

/**
 * Notes that a turn waits for a provider until `until`, and releases its place. The wait does not count as a try.
 * Returns `undefined`, with nothing stored, when another attempt has begun, or the turn was asked to stop meanwhile.
 */
export async function storeWait(
  { tenant }: Database,
  ref: StepRef,
  until: Date,
): Promise<{ readonly isPlaceWanted: boolean } | undefined> {
  const [row] = await tenant.query<{ isPlaceWanted: boolean }>(ref.orgId, {
    name: 'store-wait',
    text: `update turns t set waiting_until = $4, waiting_since = coalesce(waiting_since, now()), step_tries = 0,
        next_wake_at = $4::timestamptz + interval '30 seconds', wake_count = 0, is_at_work = false
      where id = $1 and attempt = $2 and step = $3 and status = 'running' and interrupt_requested_at is null
      returning ${IS_PLACE_WANTED} as "isPlaceWanted"`,
    values: [ref.turnId, ref.attempt, ref.step, until],
  });
  return row;
}
