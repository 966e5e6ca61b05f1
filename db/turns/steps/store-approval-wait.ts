import type { Database } from '../../core/database.ts';
import { IS_PLACE_WANTED } from '../admission/places.ts';
import type { StepRef } from './step-ref.ts';

// A claim that had to wait for the lock of the turn has seen the approvals as they were before, and lowered the flag.
const IS_DECIDED = `(t.woken_since_claim or exists (
    select from tool_calls k join approvals p on p.call_id = k.id
    where k.turn_id = t.id and k.status = 'planned' and p.status not in ('pending', 'outdated')
  ))`;

/** A wait that was stored. */
interface StoredWait {
  readonly isPlaceWanted: boolean;
  /** Whether something was decided since the turn's rows were read: it waits for nothing. */
  readonly isWoken: boolean;
}

/**
 * Notes that a turn waits for decisions, at most until `until`, and releases its place and its slot: others work
 * meanwhile. Returns `undefined`, with nothing stored, when another attempt has begun, or the turn was asked to stop
 * meanwhile.
 */
export async function storeApprovalWait(
  { tenant }: Database,
  ref: StepRef,
  until: Date,
): Promise<StoredWait | undefined> {
  const [row] = await tenant.query<StoredWait>(ref.orgId, {
    name: 'store-approval-wait',
    text: `update turns t set waiting_until = case when ${IS_DECIDED} then now() else $4::timestamptz end,
        next_wake_at = case when ${IS_DECIDED} then now() else $4::timestamptz end + interval '30 seconds',
        wake_count = 0, is_at_work = false, slot = null, is_waiting_for_slot = false
      where id = $1 and attempt = $2 and step = $3 and status = 'running' and interrupt_requested_at is null
      returning ${IS_PLACE_WANTED} as "isPlaceWanted", ${IS_DECIDED} as "isWoken"`,
    values: [ref.turnId, ref.attempt, ref.step, until],
  });
  return row;
}
