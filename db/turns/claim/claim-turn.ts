import { UNBOUNDED, type WorkBounds } from '../../../domain/settings/setting-values.ts';
import type { Database } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { retrySerializationFailures } from '../../core/unavailable.ts';
import { historyStatement, toHistory, type TurnHistory } from '../../transcripts/for-turn.ts';
import { AFTER_SEQ, ANCESTORS, HAS_FOREIGN_TEXT, HAS_STOPPED } from '../ancestors.ts';
import { HAS_CLIENTS_TO_NOTIFY } from '../../webhooks/notify-webhook.ts';
import { DEADLINE } from '../deadline.ts';
import { hasFreeWorkSlot } from '../work-slots.ts';
import { FIRST_ATTEMPT, type StepRef, SUM_OF_USAGE, withAttempt } from '../steps/step.ts';
import { type ClaimedTurn, NOTHING_USED, type TurnState } from './claimed-turn.ts';
import { partsOf, readParts, type TurnChat } from './turn-parts.ts';

/** The process that claims a turn, and which turns it may claim. */
export interface Claim {
  /** Bounds on the running turns; none by default. */
  readonly bounds?: WorkBounds;
  /** The process that runs the turn under a lease; without one there is no lease. */
  readonly runner?: string;
  /** Claims a turn that nobody has claimed before, and only if no other claims it at this instant. */
  readonly isHeadStart?: boolean;
  /** Whether a workflow waits for the turn, so that the engine notices when the process is gone; true by default. */
  readonly isFollowed?: boolean;
  /** Claims that turn or none: only when it is to stop, and none of its calls is open. */
  readonly stoppedTurnId?: string;
}

/**
 * Claims the oldest open turn of the chat and begins its next model step, or repeats it, when the previous worker is
 * gone or was replaced. While calls are open nothing is begun. `undefined` when no turn is open, and when another
 * runner holds the turn's lease. One round trip.
 *
 * With the step it takes a work slot if one is free; concurrent claims do not see each other and may exceed the bounds
 * together.
 */
export async function claimTurn(
  { tenant }: Database,
  chat: TurnChat,
  claim: Claim = {},
): Promise<ClaimedTurn | undefined> {
  const [[state], [rows]] = await retrySerializationFailures(async () =>
    tenant.series(chat.orgId, claimStatements(chat, claim)),
  );
  if (state === undefined || rows === undefined) return undefined;
  const parts = partsOf(rows, state.userId);
  return { ...state, task: withForeignText(state.task, parts.projects.bringForeignText), ...parts };
}

function withForeignText(task: TurnState['task'], isBrought: boolean): TurnState['task'] {
  return task === null || !isBrought ? task : { ...task, hasForeignText: true };
}

/** Returns the statements of a claim: the claim itself, and the one that reads the parts of the turn after it. */
export function claimStatements(
  chat: TurnChat,
  { bounds: { perUser, perOrg } = UNBOUNDED, runner, isHeadStart = false, isFollowed = true, stoppedTurnId }: Claim,
) {
  const values = [chat.chatId, perUser, perOrg, runner ?? null, isFollowed];
  const claim: Statement<TurnState> = isHeadStart
    ? { name: 'claim-new-turn', text: CLAIM_NEW, values }
    : { name: 'claim-turn', text: CLAIM, values: [...values, stoppedTurnId ?? null] };
  return [claim, readParts(chat)] as const;
}

/** How long a runner keeps a turn without renewing its lease. */
export const LEASE = `interval '6 seconds'`;

/** When a turn is due to be woken whose runner is gone before any workflow has begun to follow it. */
export const DUE_AFTER_LEASE = `now() + ${LEASE} + interval '1 second'`;

// The oldest open turn, or that turn in particular.
const OLDEST_OPEN = `t.status in ('queued', 'running') and ($6::uuid is null or (t.id = $6
      and not exists (select from tool_calls k where k.turn_id = t.id and k.status in ('planned', 'running'))
      and ${HAS_STOPPED}))
    order by t.seq limit 1 for update`;

// The columns that each claim sets.
const TAKEN = `status = 'running', waiting_until = null, woken_since_claim = false, started_at = coalesce(t.started_at, now()),
    next_wake_at = case when $5 then now() + interval '90 seconds' else ${DUE_AFTER_LEASE} end,
    runner = $4, lease_until = case when $4::uuid is not null then now() + ${LEASE} end`;

// The columns of the turn that each claim reads.
const STATE = `t.id, t.seq, t.traceparent, ${AFTER_SEQ} as "afterSeq", t.attempt, t.step, t.step_tries as "stepTries", t.faults,
    (extract(epoch from now() - t.created_at) * 1000)::bigint as "ageMs",
    t.unfinished_reads as "unfinishedReads", t.user_id as "userId",
    c.deleted_at is not null as "isChatDeleted", t.waiting_since as "waitingSince",
    t.slot, t.is_waiting_for_slot as "hasWaitedForSlot", t.parent_turn_id as "parentTurnId",
    t.is_report as "isReport", t.run_id as "runId", ${HAS_CLIENTS_TO_NOTIFY} as "hasClientsToNotify",
    exists (select from channel_threads h where h.chat_id = $1) as "isOfThread",
    case when t.task_id is not null then (
      select json_build_object('id', k.id, 'title', k.title, 'status', coalesce(r.status, k.status), 'output',
        coalesce(r.content, k.output), 'agentId', coalesce(r.agent_id, k.assigned_agent_id))
      from tasks k left join lateral (
        select a.status, m.content, m.agent_id from turns a join messages m on m.turn_id = a.id and m.role = 'assistant'
        where a.id = t.reported_turn_id
      ) r on true
      where k.id = t.task_id
    ) end as "worksOn"`;

// These stay together, under the lock of the row: the step to begin follows from the open calls, and the rest must
// match that decision. A claim that waited for the lock while a step was stored would not see its calls, and so is made
// again. What only some turns have (a task, earlier steps) is read here under a condition, since a part would be read
// for every turn.
//
// The step to begin is the one after those stored. A repeated step is a new attempt.
const CLAIM = `with oldest as (
    select t.id, t.runner, t.lease_until, t.attempt, t.parent_turn_id, t.user_id, t.org_id, t.seq, t.is_at_work,
      t.is_waiting_for_work_slot, t.waiting_until, t.ctid as version,
      exists (select from tool_calls k where k.turn_id = t.id and k.status in ('planned', 'running')) as is_calling,
      (select count(*)::int from model_steps s where s.turn_id = t.id) as next_step
    from turns t where t.chat_id = $1 and ${OLDEST_OPEN}
  ),
  next as (
    select * from oldest where (lease_until is null or lease_until < now() or runner = $4)
      and require_unchanged(version = (select s.ctid from turns s where s.id = oldest.id))
  ),
  begun as (
    update tasks set status = 'in_progress', started_at = now(), updated_at = now() from next
    where next.parent_turn_id is not null and next.attempt = 0 and tasks.id = next.id returning call_id
  ),
  called as (
    update tool_calls k set status = 'running', started_at = now() from begun where k.id = begun.call_id and k.status = 'planned'
  ),
  admitted as materialized (
    select next.id, next.is_calling, next.next_step, next.parent_turn_id,
      next.is_waiting_for_work_slot and coalesce(next.waiting_until <= now(), false) as was_waiting,
      next.is_at_work or (not next.is_calling and ${hasFreeWorkSlot('next', '$2', '$3')}) as is_at_work
    from next
  )
  update turns t set ${TAKEN},
    attempt = case when next.is_calling or (t.attempt > 0 and t.step <> next_step) then t.attempt else t.attempt + 1 end,
    step = case when next.is_calling then t.step else next_step end,
    step_tries = case when next.is_calling then t.step_tries when t.step = next_step then t.step_tries + 1 else 1 end,
    trace = case when next.is_calling then t.trace else ${withAttempt('next_step')} end,
    is_at_work = next.is_at_work, is_waiting_for_work_slot = t.is_waiting_for_work_slot and not next.is_at_work
  from admitted next, chats c
  where t.id = next.id and c.id = $1
  returning ${STATE},
    case when next_step = 0 then 0 else (select coalesce(sum(lost), 0)::int from (
      select max(k.tries) - 1 as lost from tool_calls k where k.turn_id = t.id and k.tries > 1 group by k.step
    ) broken) end as "lostCallTries",
    ${HAS_STOPPED} as "isInterrupted", coalesce(${DEADLINE} <= now(), false) as "isOverdue",
    (extract(epoch from ${DEADLINE} - now()) * 1000)::bigint as "remainingMs",
    t.is_at_work or next.is_calling as "hasWorkSlot", next.was_waiting as "hasWaitedForWorkSlot",
    ${ANCESTORS} as ancestors,
    case when next.parent_turn_id is not null then
      (select json_build_object('callId', k.call_id, 'title', k.title, 'hasForeignText',
        ${HAS_FOREIGN_TEXT}) from tasks k where k.id = t.id) end as task,
    case when next.is_calling then (
      select json_agg(json_build_object('id', k.id, 'name', k.name, 'label', k.label, 'effect', k.effect, 'subChatId',
          s.sub_chat_id, 'approval', case when p.id is not null then json_build_object('id', p.id, 'status', p.status,
          'expiresAt', p.expires_at) end)
        order by k.position)
      from tool_calls k left join tasks s on s.call_id = k.id left join approvals p on p.call_id = k.id and p.status <> 'outdated'
      where k.turn_id = t.id and k.status in ('planned', 'running')
    ) else '[]' end as "openCalls",
    case when next_step = 0 then 0 else
      (select count(*)::int from tasks k where k.parent_turn_id = t.id)
        + (select count(*)::int from tool_calls k where k.turn_id = t.id and k.remote_task is not null) end as "subAgentCount",
    case when next_step = 0 then '${JSON.stringify(NOTHING_USED)}' else (
      select ${SUM_OF_USAGE} from token_usage where turn_id = t.id
    ) end as "usedTokens"`;

// The user waits for this one, and most turns have no other: a statement half as long takes PostgreSQL two thirds of
// the time. A turn that nobody has claimed has no steps yet; sub-agents are not given a head start.
//
// A locked turn is being claimed by another: it is skipped, and none of those after it may be taken instead.
const CLAIM_NEW = `with next as (
    select t.id, ${hasFreeWorkSlot('t', '$2', '$3')} as is_at_work from turns t
    where t.chat_id = $1 and t.status = 'queued' and t.parent_turn_id is null and not exists (
      select from turns o where o.chat_id = t.chat_id and o.status in ('queued', 'running') and o.seq < t.seq
    )
    order by t.seq limit 1 for update skip locked
  )
  update turns t set ${TAKEN}, attempt = 1, step = 0, step_tries = 1, trace = ${FIRST_ATTEMPT}, is_at_work = next.is_at_work
  from next, chats c
  where t.id = next.id and c.id = $1
  returning ${STATE}, t.interrupt_requested_at is not null as "isInterrupted", t.is_at_work as "hasWorkSlot",
    0 as "lostCallTries", false as "isOverdue", null::bigint as "remainingMs", false as "hasWaitedForWorkSlot",
    '[]'::json as ancestors, null::json as task, '[]'::json as "openCalls", 0 as "subAgentCount",
    '${JSON.stringify(NOTHING_USED)}'::json as "usedTokens"`;

/**
 * Reads the whole conversation of a turn whose claim gave an outline of it, and counts the read until `noteRead`
 * confirms that its process has survived it. `undefined` when another attempt has begun.
 */
export async function readHistory(
  { tenant }: Database,
  { orgId, turnId, attempt, step }: StepRef,
  chatId: string,
): Promise<TurnHistory | undefined> {
  const begun = {
    name: 'begin-read',
    text: `update turns set unfinished_reads = unfinished_reads + 1
      where id = $1 and attempt = $2 and step = $3 and status = 'running' returning id`,
    values: [turnId, attempt, step],
  };
  const [counted, rows] = await tenant.series(orgId, [begun, historyStatement(chatId)]);
  return counted.length === 0 ? undefined : toHistory(rows);
}

/** Records that this process is done with the conversation of a turn. */
export async function noteRead({ tenant }: Database, { orgId, turnId }: StepRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-read',
    text: 'update turns set unfinished_reads = 0 where id = $1 and unfinished_reads > 0',
    values: [turnId],
  });
}
