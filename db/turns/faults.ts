import type { Database } from '../core/database.ts';
import type { StepRef } from './steps/step.ts';

/** A turn whose attempt has ended with an unexpected error. */
export interface FaultyTurn extends StepRef {
  readonly chatId: string;
  readonly agentId: string;
  /** Such attempts since its last stored step, this one included. */
  readonly faults: number;
  readonly isSubAgent: boolean;
  /** Whether it is an attempt at a task. */
  readonly isAttempt: boolean;
  /** The run of a workflow that it is a step of; null for none. */
  readonly runId: string | null;
}

/**
 * Counts an unexpected error of the chat's oldest open turn, and sets it to running, since its claim may have failed as
 * a whole. `undefined` when another process holds its lease.
 */
export async function noteFault(
  { tenant }: Database,
  { orgId, chatId }: { readonly orgId: string; readonly chatId: string },
  runner: string,
): Promise<FaultyTurn | undefined> {
  const [row] = await tenant.query<FaultyTurn>(orgId, {
    name: 'note-fault',
    text: `update turns t set faults = least(t.faults + 1, 1000), status = 'running', attempt = greatest(t.attempt, 1),
        started_at = coalesce(t.started_at, now())
      from chats c
      where c.id = t.chat_id and t.status in ('queued', 'running') and (t.lease_until is null or t.lease_until < now() or t.runner = $2)
        and t.id = (select id from turns where chat_id = $1 and status in ('queued', 'running') order by seq limit 1)
      returning t.org_id as "orgId", t.id as "turnId", t.attempt, t.step, t.chat_id as "chatId", c.agent_id as "agentId",
        t.faults, t.parent_turn_id is not null as "isSubAgent", t.task_id is not null and not t.is_report as "isAttempt",
        t.run_id as "runId"`,
    values: [chatId, runner],
  });
  return row;
}

/**
 * Counts an unexpected error of the turn of a call that could not be begun, or was begun more than `maxTries` times.
 * Returns the number of those of the turn, 0 for another call.
 */
export async function noteFaultOfCall(
  { tenant }: Database,
  { orgId, callId }: { readonly orgId: string; readonly callId: string },
  maxTries: number,
): Promise<number> {
  const [row] = await tenant.query<{ faults: number }>(orgId, {
    name: 'note-fault-of-call',
    text: `update turns t set faults = least(t.faults + 1, 1000) from tool_calls k
      where k.id = $1 and t.id = k.turn_id and t.status = 'running' and (k.status = 'planned' or k.tries > $2)
      returning t.faults`,
    values: [callId, maxTries],
  });
  return row?.faults ?? 0;
}
