import type { ApprovalStatus } from '../../domain/approvals.ts';
import type { CallStatus, Effect } from '../../domain/tool-calls/tool-call.ts';
import { MAX_TRACE_STEPS, type StepTokens, type TurnState } from '../../domain/traces.ts';
import type { AttemptRecord } from '../../domain/turns.ts';
import type { Statement } from '../core/sql-pool.ts';
import { userName } from '../records/records.ts';

/** A turn of the tree: the one that is asked for, or that of a sub-agent. */
export interface TurnRow {
  readonly id: string;
  readonly status: TurnState;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly interruptedAt: Date | null;
  readonly waitingUntil: Date | null;
  /** The current model step; -1 before the first one. */
  readonly step: number;
  /** Null when it is left out, because those before are large. */
  readonly trace: readonly AttemptRecord[] | null;
  readonly error: string | null;
  /** The beginning of its answer; null while there is none. */
  readonly answer: string | null;
}

/** A model step that was stored. */
export interface StoredStepRow {
  readonly turnId: string;
  readonly step: number;
  readonly createdAt: Date;
  /** The beginning of what the model wrote. */
  readonly output: string;
  /** Null when it is left out, because those before are large. */
  readonly trace: readonly AttemptRecord[] | null;
}

/** A tool call, and the turn of the sub-agent that answers it. */
export interface CallRow {
  readonly id: string;
  readonly turnId: string;
  readonly step: number;
  readonly name: string;
  readonly label: string;
  readonly effect: Effect;
  readonly status: CallStatus;
  readonly tries: number;
  /** As they were written; null when they are long. */
  readonly argumentsText: string | null;
  readonly result: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly task: TaskOfCall | null;
}

interface TaskOfCall {
  readonly turnId: string;
  readonly chatId: string;
  readonly agentName: string | null;
  readonly title: string;
  readonly status: TurnState;
}

/** The wait of a call for a decision. */
export interface ApprovalRow {
  readonly id: string;
  readonly callId: string;
  readonly status: ApprovalStatus;
  readonly requestedAt: Date;
  readonly decidedAt: Date | null;
  readonly expiresAt: Date;
  readonly deciderName: string | null;
  readonly note: string | null;
}

/** The usage of a model step, or of a tool call. */
export interface UsageRow extends StepTokens {
  readonly turnId: string;
  readonly step: number;
  readonly callId: string | null;
}

/** The levels of sub-agents below a turn. */
const MAX_DEPTH = 3;

/** The sub-agents that are read. */
const MAX_TURNS = 1_000;

/** Arguments of more bytes are not read. */
const MAX_ARGUMENT_BYTES = 2_000;

/** The length read of a result, and of what a model wrote, in characters. */
const MAX_TEXT_READ = 400;

/** The bytes of attempts that are read of all steps; further steps come without theirs. */
const MAX_TRACE_BYTES = 4 * 1024 ** 2;

// The turn at the top first, so that a bound leaves out what is deepest.
const TREE = `with recursive tree (id, depth) as (
      select $1::uuid, 0
      union all
      select t.id, tree.depth + 1 from tree join turns t on t.parent_turn_id = tree.id where tree.depth < ${MAX_DEPTH}
    ),
    kept as (select id, depth from tree order by depth, id limit ${MAX_TURNS})`;

// Returns the columns of a table and the size of its `trace`, which is the bound's for what is left out. A trace is
// larger in memory than on the disk, where it is compressed, and its full size is known only once it is unpacked. So
// its size on the disk is bounded before.
const sizedTraces = (row: string, order: string) => `${row}.*, case
    when sum(pg_column_size(${row}.trace)) over (order by ${order} rows unbounded preceding) <= ${MAX_TRACE_BYTES}
    then octet_length(${row}.trace::text) else ${MAX_TRACE_BYTES} + 1 end as bytes`;

// Of a hostile number of attempts, those of later steps are left out: null.
const boundedTrace = (row: string, order: string) => `case
    when sum(${row}.bytes) over (order by ${order} rows unbounded preceding) <= ${MAX_TRACE_BYTES}
    then ${row}.trace end`;

/**
 * Returns the statements that read a turn and all sub-agents below it, each bounded to one row more than a trace has.
 */
export function traceStatements(turnId: string) {
  const values = [turnId];
  return [
    { name: 'trace-turns', text: TURNS, values } as Statement<TurnRow>,
    { name: 'trace-steps', text: STEPS, values } as Statement<StoredStepRow>,
    { name: 'trace-calls', text: CALLS, values } as Statement<CallRow>,
    { name: 'trace-approvals', text: APPROVALS, values } as Statement<ApprovalRow>,
    { name: 'trace-usage', text: USAGE, values } as Statement<UsageRow>,
  ] as const;
}

const TURNS = `${TREE}
  select t.id, t.status, t.created_at as "createdAt", t.started_at as "startedAt", t.ended_at as "endedAt",
    t.interrupt_requested_at as "interruptedAt", t.waiting_until as "waitingUntil", t.step,
    ${boundedTrace('t', 't.depth, t.id')} as trace, m.metadata ->> 'error' as error,
    left(m.content, ${MAX_TEXT_READ}) as answer
  from (select kept.depth, ${sizedTraces('t', 'kept.depth, t.id')} from kept join turns t on t.id = kept.id) t
    left join messages m on m.turn_id = t.id and m.role = 'assistant'
  order by t.depth, t.id`;

const STEPS = `${TREE}
  select s.turn_id as "turnId", s.step, s.created_at as "createdAt", left(s.text, ${MAX_TEXT_READ}) as output,
    ${boundedTrace('s', 's.depth, s.turn_id, s.step')} as trace
  from (
      select kept.depth, ${sizedTraces('s', 'kept.depth, s.turn_id, s.step')}
      from kept join model_steps s on s.turn_id = kept.id
      order by kept.depth, s.turn_id, s.step limit ${MAX_TRACE_STEPS + 1}
    ) s
  order by s.depth, s.turn_id, s.step`;

// The size of a stored value is known without reading it.
const CALLS = `${TREE}
  select k.id, k.turn_id as "turnId", k.step, k.name, k.label, k.effect, k.status, k.tries, case
      when pg_column_size(coalesce(p.edited_arguments, k.arguments)) > ${MAX_ARGUMENT_BYTES} then null
      when octet_length(coalesce(p.edited_arguments, k.arguments)::text) > ${MAX_ARGUMENT_BYTES} then null
      else coalesce(p.edited_arguments, k.arguments)::text
    end as "argumentsText", left(k.result, ${MAX_TEXT_READ}) as result, k.started_at as "startedAt", k.ended_at as "endedAt",
    case when s.id is not null then json_build_object('turnId', s.id, 'chatId', s.sub_chat_id, 'agentName', a.name,
      'title', s.title, 'status', w.status) end as task
  from (
      select k.* from kept join tool_calls k on k.turn_id = kept.id
      order by kept.depth, k.turn_id, k.step, k.position limit ${MAX_TRACE_STEPS + 1}
    ) k left join approvals p on p.call_id = k.id and p.status <> 'outdated'
    left join tasks s on s.call_id = k.id and k.effect = 'agent' left join turns w on w.id = s.id
    left join agents a on a.id = s.assigned_agent_id
  order by k.turn_id, k.step, k.position`;

const APPROVALS = `${TREE}
  select p.id, p.call_id as "callId", p.status, p.requested_at as "requestedAt", p.decided_at as "decidedAt",
    p.expires_at as "expiresAt", ${userName('u')} as "deciderName", left(p.note, ${MAX_TEXT_READ}) as note
  from kept join approvals p on p.turn_id = kept.id left join users u on u.id = p.decided_by
  where p.call_id is not null
  order by p.id limit ${MAX_TRACE_STEPS + 1}`;

const USAGE = `${TREE}
  select u.turn_id as "turnId", u.step, u.call_id as "callId", u.input_tokens as "inputTokens",
    u.output_tokens as "outputTokens", u.cached_input_tokens as "cachedInputTokens",
    u.reasoning_tokens as "reasoningTokens", u.estimated, u.cost::float8 as cost
  from kept join token_usage u on u.turn_id = kept.id limit ${MAX_TURNS * 100}`;
