import { type AttemptRecord, type AttemptTries, NO_TRIES } from '../../../domain/turns/index.ts';
import type { Database } from '../../core/database.ts';
import { IS_PLACE_WANTED } from '../admission/places.ts';
import { withOutcome } from './attempts.ts';
import type { StepRef } from './step-ref.ts';

/** A wait that was stored. */
interface StoredWait {
  readonly isPlaceWanted: boolean;
  /** Whether the turn was woken since its step began: it waits for nothing. */
  readonly isWoken: boolean;
}

/**
 * Notes that a turn waits for a provider until `until`, and releases its place. The wait does not count as a try, and
 * is over at once when the turn was woken since its step began. Returns `undefined`, with nothing stored, when another
 * attempt has begun, or the turn was asked to stop meanwhile.
 */
export async function storeWait(
  { tenant }: Database,
  ref: StepRef,
  until: Date,
  tries: AttemptTries = NO_TRIES,
): Promise<StoredWait | undefined> {
  const outcome: Omit<AttemptRecord, 'at'> = { ...tries, waitsFor: 'provider' };
  const [row] = await tenant.query<StoredWait>(ref.orgId, {
    name: 'store-wait',
    text: `update turns t set waiting_until = ${WAIT_UNTIL}, waiting_since = coalesce(waiting_since, now()), step_tries = 0,
        next_wake_at = ${WAIT_UNTIL} + interval '30 seconds', wake_count = 0, is_at_work = false,
        trace = ${withOutcome('$5')}
      where id = $1 and attempt = $2 and step = $3 and status = 'running' and interrupt_requested_at is null
      returning ${IS_PLACE_WANTED} as "isPlaceWanted", t.woken_since_claim as "isWoken"`,
    values: [ref.turnId, ref.attempt, ref.step, until, JSON.stringify(outcome)],
  });
  return row;
}

const WAIT_UNTIL = 'case when t.woken_since_claim then now() else $4::timestamptz end';
