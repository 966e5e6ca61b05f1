import type { FinalCallStatus } from '../../../domain/tool-calls/tool-call.ts';
import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { IS_WORK_SLOT_WANTED } from '../work-slots.ts';
import { endUnbegun } from '../steps/close-open-calls.ts';
import { insertUsage, type StepUsage, usageValue } from '../steps/step.ts';
import type { BegunCall } from './begin-call.ts';

/** The result of a call. */
export interface CallResult {
  readonly status: FinalCallStatus;
  /** The text for the model. */
  readonly result: string;
  /** Whether the result contains text from outside, which marks the chat. */
  readonly isForeign?: boolean;
  /** The usage that a provider bills for it. */
  readonly usage?: StepUsage | undefined;
}

/** The effect of storing a call's result. */
interface ClosedCall {
  /** False, with nothing stored, when a later attempt has begun or the call has a result. */
  readonly isStored: boolean;
  /** Whether its turn has released its work slot, and another turn waits for it. */
  readonly isWorkSlotWanted: boolean;
}

interface CallToClose {
  readonly id: string;
  readonly attempt: number;
  readonly turn: Pick<BegunCall['turn'], 'id' | 'isDelegating'>;
}

/**
 * Stores the result of an attempt at a call. If only sub-agents then work for its turn, the turn releases its work slot
 * to them. Both statements are sent at once, so that no worker dies between them; they are separate, because of two
 * calls that end at the same instant the later one must see the other's end.
 */
export async function closeCall(
  { tenant }: Database,
  orgId: string,
  { id, attempt, turn }: CallToClose,
  { status, result, isForeign = false, usage }: CallResult,
): Promise<ClosedCall> {
  const values = [id, attempt, status, result, isForeign];
  const close: Statement =
    usage === undefined
      ? { name: 'close-call', text: closeText(), values }
      : { name: 'close-billed-call', text: closeText(BILLED), values: [...values, usageValue(usage)] };
  const leave: Statement<{ isWorkSlotWanted: boolean }> = {
    name: 'leave-work-slot-to-sub-agents',
    text: LEAVE_WORK_SLOT,
    values: [turn.id],
  };
  const [closed, [left] = []] = turn.isDelegating
    ? await tenant.series(orgId, [close, leave])
    : await tenant.series(orgId, [close]);
  return { isStored: closed.length > 0, isWorkSlotWanted: left?.isWorkSlotWanted ?? false };
}

const closeText = (more = '') => `with closed as (
    update tool_calls set status = $3, result = $4, ended_at = now()
    where id = $1 and attempt = $2 and status in ('planned', 'running') returning id, turn_id, step
  ),
  noted as (
    update chats c set has_foreign_text = true from closed join turns t on t.id = closed.turn_id
    where $5 and c.id = t.chat_id and not c.has_foreign_text
  )${more}
  select id from closed`;

const BILLED = `,
  billed as (
    select t.*, closed.step as call_step, closed.id as call_id from closed join turns t on t.id = closed.turn_id
  ),
  used as (
    ${insertUsage('$6', { turn: 'billed', step: 't.call_step', callId: 't.call_id' })}
  )`;

const LEAVE_WORK_SLOT = `update turns t set is_at_work = false where id = $1 and is_at_work and status = 'running' and not exists (
    select from tool_calls k where k.turn_id = $1 and k.effect <> 'agent' and k.status in ('planned', 'running')
      and not exists (select from approvals p where p.call_id = k.id and p.status = 'pending')
  ) and exists (
    select from tool_calls k where k.turn_id = $1 and k.effect = 'agent' and k.status in ('planned', 'running')
  )
  returning ${IS_WORK_SLOT_WANTED} as "isWorkSlotWanted"`;

/** Ends the turn of a sub-agent whose work nobody has allowed. Safe to repeat; the call is closed after it. */
export async function endRefusedSubAgent({ tenant }: Database, orgId: string, callId: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-refused-sub-agent',
    text: `with refused as (
        select s.id from tasks s join approvals p on p.call_id = s.call_id
        where s.call_id = $1 and p.status in ('denied', 'expired')
      ),
      ${endUnbegun('refused', 't.id = refused.id')}
      select from refused`,
    values: [callId],
  });
}
