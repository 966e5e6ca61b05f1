import type { ApprovalStatus } from '../../../domain/approvals.ts';
import type { StepDone, StepEvent, StepStart } from '../../../domain/events.ts';
import type { CallStatus, FinalCallStatus } from '../../../domain/tool-calls/tool-call.ts';
import { answerLengths } from '../../../domain/turns.ts';
import type { Database } from '../../core/database.ts';

interface StepRow {
  readonly rootId: string;
  readonly turnId: string;
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly status: Exclude<CallStatus, 'planned'>;
  /** Seconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly task: TaskRow | null;
  /** The sub-agent's answer. */
  readonly output: string | null;
  /** Set for the wait of a call for a decision, which is a step of its own. */
  readonly approval: ApprovalRow | null;
}

interface ApprovalRow {
  readonly callId: string;
  readonly chatId: string;
  readonly agentName: string;
  readonly status: ApprovalStatus;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly agentName: string | null;
  readonly subChatId: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The number of steps of one turn that are read; the last ones are left out. */
const MAX_STEPS_READ = 5_000;

/** The bytes of sub-agents' answers that are read whole; of the rest only the beginning is read. */
const MAX_OUTPUT_BYTES = 4 * 1024 ** 2;
const CUT_OUTPUT_CHARACTERS = 500;

/**
 * Returns for each turn the steps that it and all sub-agents below have begun, as the events that would have announced
 * them, in their order. One statement for all.
 */
export async function readTurnSteps(
  { system }: Database,
  turnIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StepEvent[]>> {
  if (turnIds.length === 0) return new Map();
  const { rows } = await system.query<StepRow>({
    name: 'read-turn-steps',
    text: STEPS,
    values: [turnIds, MAX_STEPS_READ],
  });
  const byTurn = Map.groupBy(rows, ({ rootId }) => rootId);
  return new Map(turnIds.map((turnId) => [turnId, eventsOf(byTurn.get(turnId) ?? [])]));
}

// A call that never began, because its turn was stopped before, has only an end.
const STEPS = `select asked.id as "rootId", "turnId", begun.id, name, label, status, "startedAt", "endedAt", task, approval,
    case
      when sum(octet_length(answer)) over (order by asked.id, "startedAt", step, position, begun.id rows unbounded preceding)
        > ${MAX_OUTPUT_BYTES} then left(answer, ${CUT_OUTPUT_CHARACTERS}) else answer
    end as output
  from unnest($1::uuid[]) as asked (id) cross join lateral (
    with recursive tree (id) as (
      select asked.id union all select t.id from tree join turns t on t.parent_turn_id = tree.id
    )
    select k.turn_id as "turnId", k.id, k.name, k.label, k.status,
      extract(epoch from coalesce(k.started_at, k.ended_at))::float8 as "startedAt",
      extract(epoch from k.ended_at)::float8 as "endedAt", k.step, k.position,
      case when s.id is not null then json_build_object('id', s.id, 'title', s.title, 'agentName', a.name, 'subChatId',
        s.sub_chat_id, 'inputTokens', coalesce(u.input_tokens, 0), 'outputTokens',
        coalesce(u.output_tokens, 0)) end as task, s.output as answer, null::json as approval
    from tree join tool_calls k on k.turn_id = tree.id and k.status <> 'planned'
      left join tasks s on s.call_id = k.id and k.effect = 'agent'
      left join agents a on a.id = s.assigned_agent_id
      left join lateral (
        select sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens from token_usage where turn_id = s.id
      ) u on true
    union all
    select p.turn_id, p.id, k.name, k.label, k.status, extract(epoch from p.requested_at)::float8,
      extract(epoch from p.decided_at)::float8, k.step, k.position, null, null, json_build_object('callId', k.id, 'chatId',
        p.chat_id, 'agentName', a.name, 'status', p.status, 'expiresAt', (extract(epoch from p.expires_at) * 1000)::bigint)
    from tree join approvals p on p.turn_id = tree.id join tool_calls k on k.id = p.call_id
      join chats c on c.id = p.chat_id join agents a on a.id = c.agent_id
    order by "startedAt", step, position, id limit $2
  ) begun
  order by asked.id, "startedAt", step, position, begun.id`;

function eventsOf(rows: readonly StepRow[]): StepEvent[] {
  const timed = rows.flatMap((row) => {
    if (row.approval !== null) return waitOf(row, row.approval);
    const start = { at: row.startedAt, event: startOf(row) as StepEvent };
    return row.status === 'running'
      ? [start]
      : [start, { at: row.endedAt ?? row.startedAt, event: doneOf(row, row.status) }];
  });
  return timed.toSorted((a, b) => a.at - b.at).map(({ event }) => event);
}

function waitOf(
  { turnId: taskId, id: stepId, name, label, startedAt, endedAt }: StepRow,
  { callId, chatId, agentName, status, expiresAt }: ApprovalRow,
): { readonly at: number; readonly event: StepEvent }[] {
  const call = { taskId, stepId, callId, chatId, agentName, name, label, expiresAt: new Date(expiresAt).toISOString() };
  const start = { at: startedAt, event: { type: 'approval_requested', ...call } } as const;
  if (status === 'pending') return [start];
  return [start, { at: endedAt ?? startedAt, event: { type: 'approval_decided', taskId, stepId, status } }];
}

function startOf({ turnId, id: stepId, name, label, task }: StepRow): StepStart {
  if (task === null) return { type: 'step_start', taskId: turnId, stepId, name, label };
  const { id: taskId, title, agentName, subChatId } = task;
  return {
    type: 'sub_agent_start',
    taskId,
    stepId,
    parentId: turnId,
    agentName: agentName ?? '',
    title,
    subChatId: subChatId ?? '',
  };
}

function doneOf({ turnId, id: stepId, task, output }: StepRow, status: FinalCallStatus): StepDone {
  if (task === null) return { type: 'step_done', taskId: turnId, stepId, status };
  const { id: taskId, agentName, inputTokens, outputTokens } = task;
  const usage = { inputTokens, outputTokens };
  return { type: 'sub_agent_done', taskId, stepId, agentName: agentName ?? '', status, output: output ?? '', usage };
}

interface StoredCalls {
  /** The lengths of the texts of the stored steps, in order, in UTF-16 code units. */
  readonly lengths: readonly number[];
  /** The id of each call, and its step. */
  readonly calls: readonly (readonly [string, number])[];
}

// Characters beyond the basic multilingual plane are two code units each.
const UTF16_LENGTH = String.raw`char_length(text) + regexp_count(text, '[\U00010000-\U0010FFFF]')`;

/** Returns for each call of a turn how much of its answer was said before it, in UTF-16 code units. */
export async function readCallOffsets(
  { tenant }: Database,
  orgId: string,
  turnId: string,
): Promise<ReadonlyMap<string, number>> {
  const [stored] = await tenant.query<StoredCalls>(orgId, {
    name: 'read-call-offsets',
    text: `select
        (select coalesce(json_agg(${UTF16_LENGTH} order by step), '[]') from model_steps where turn_id = $1) as lengths,
        (select coalesce(json_agg(json_build_array(id, step)), '[]') from tool_calls where turn_id = $1) as calls`,
    values: [turnId],
  });
  const lengths = answerLengths(stored?.lengths ?? []);
  return new Map(stored?.calls.map(([id, step]) => [id, lengths[step] ?? 0]));
}
