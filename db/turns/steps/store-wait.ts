import { type AttemptRecord, type AttemptTries, NO_TRIES } from '../../../domain/turns.ts';
import type { Database } from '../../core/database.ts';
import { IS_WORK_SLOT_WANTED } from '../work-slots.ts';
import { type StepRef, withOutcome } from './step.ts';

/** A wait that was stored. */
interface StoredWait {
  readonly isWorkSlotWanted: boolean;
  /** Whether the turn was woken since its step began: it waits for nothing. */
  readonly isWoken: boolean;
}

/**
 * Records that a turn waits for a provider until `until`, and releases its work slot. The wait does not count as a try,
 * and is over at once when the turn was woken since its step began. Returns `undefined`, with nothing stored, when
 * another attempt has begun, or the turn was asked to stop in the meantime.
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
      returning ${IS_WORK_SLOT_WANTED} as "isWorkSlotWanted", t.woken_since_claim as "isWoken"`,
    values: [ref.turnId, ref.attempt, ref.step, until, JSON.stringify(outcome)],
  });
  return row;
}

const WAIT_UNTIL = 'case when t.woken_since_claim then now() else $4::timestamptz end';

// A claim that had to wait for the lock of the turn has seen the approvals as they were before, and lowered the flag.
const IS_DECIDED = `(t.woken_since_claim or exists (
    select from tool_calls k join approvals p on p.call_id = k.id
    where k.turn_id = t.id and k.status = 'planned' and p.status not in ('pending', 'outdated')
  ))`;

/**
 * Records that a turn waits for decisions, at most until `until`, and releases its work slot and its slot for others.
 * Returns `undefined`, with nothing stored, when another attempt has begun, or the turn was asked to stop in the
 * meantime.
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
      returning ${IS_WORK_SLOT_WANTED} as "isWorkSlotWanted", ${IS_DECIDED} as "isWoken"`,
    values: [ref.turnId, ref.attempt, ref.step, until],
  });
  return row;
}

/**
 * Restarts a step with another provider, replacing the first one's text. Returns the number of the new attempt, or
 * `undefined` when this one is late.
 */
export async function restartStep({ tenant }: Database, ref: StepRef): Promise<number | undefined> {
  const [row] = await tenant.query<{ attempt: number }>(ref.orgId, {
    name: 'restart-step',
    text: `update turns set attempt = attempt + 1 where id = $1 and attempt = $2 and step = $3 and status = 'running'
      returning attempt`,
    values: [ref.turnId, ref.attempt, ref.step],
  });
  return row?.attempt;
}
