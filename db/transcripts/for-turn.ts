import { TOOL_DESCRIBE } from '../../domain/tool-offer/split-offer.ts';
import { parseExactJson } from '../../domain/core/exact-json.ts';
import type { CallRecord, StepRecord, TurnRecord } from '../../domain/transcripts/render-turn.ts';
import type { Statement } from '../core/sql-pool.ts';
import type { TurnPart } from '../turns/claim/turn-parts.ts';

/** The conversation up to a turn. */
export interface TurnHistory {
  /** Oldest first; the last one is the turn itself. */
  readonly turns: readonly TurnRecord[];
  /** The number of the chat's turns before the first of `turns`. */
  readonly firstIndex: number;
  /** The size of the whole conversation in UTF-8, as far as it is read. */
  readonly bytes: number;
  /**
   * Whether the conversation is too long to stay in memory for as long as the turn runs. `turns` then have no messages,
   * and of their calls the names; the turn itself also has the text of its steps. `readHistory` returns all of it.
   */
  readonly isOutline: boolean;
}

/** The fields that the rows of a history share. */
interface HistoryFacts {
  readonly bytes: number;
  readonly isOutline: boolean;
}

/** A turn whose calls have their arguments as text, because the library would change numbers in them. */
interface HistoryRow extends Omit<TurnRecord, 'steps'>, HistoryFacts {
  /** The number of the chat's turns before it, when it is the first that was read; null for others. */
  readonly firstIndex: number | null;
  readonly steps: readonly StepRow[];
}

interface StepRow extends Omit<StepRecord, 'calls'> {
  readonly calls: readonly (Omit<CallRecord, 'arguments'> & { readonly argumentsText: string })[];
}

const MAX_HISTORY_TURNS = 400;
/**
 * More than fits in the longest context window. It bounds the turns that are read, and the steps of the running one.
 */
const MAX_HISTORY_BYTES = 4_000_000;
/** All that is read at once: the turns, and as much of the steps of the running one. */
const MOST_READ_BYTES = 2 * MAX_HISTORY_BYTES;
/** The longest conversation that is read with the claim: most are shorter. Each running turn may keep one in memory. */
const MAX_CLAIMED_BYTES = 64_000;
/** Longer arguments of `tool_describe` name no tools. */
const MAX_NAMES_BYTES = 4_000;
/** Replaces the result of a call whose step is no longer read. */
const LEFT_OUT = '[Left out: the steps of this turn are too long to be shown.]';

// The messages of a turn as one row, read by one look-up: it has at most one of each role. Not a join: a plan from when
// the table was empty would scan it for each turn.
const MESSAGES = `select max(content) filter (where role = 'user') as question, max(file_ids) as file_ids,
      bool_or(excluded) filter (where role = 'user') as question_excluded,
      max(content) filter (where role = 'assistant') as answer, max(metadata ->> 'error') as error,
      bool_or(excluded) filter (where role = 'assistant') as answer_excluded
    from messages where turn_id = r.id`;

// Returns the size of a turn's steps beside their text, uncompressed: the compressed size would bound nothing.
function bytesOfSteps(turnId: string, step: string): string {
  return `(select coalesce(sum(coalesce(octet_length(b.raw_text), 0) + coalesce(octet_length(b.state::text), 0)), 0)
      from model_steps b where b.turn_id = ${turnId} ${step === '' ? '' : `and b.step = ${step}`})
    + (select coalesce(sum(octet_length(b.arguments::text) + coalesce(octet_length(b.result), 0)), 0)
      from tool_calls b where b.turn_id = ${turnId} ${step === '' ? '' : `and b.step = ${step}`})`;
}

// For a running turn that is too large, the newest steps are read whole. It is the oldest running one: the claim has
// just marked it as running.
function historyOf(maxBytes: number): string {
  return `with current as (select min(seq) as seq from turns where chat_id = $1 and status = 'running'),
  recent as (
    select t.id, t.seq, t.status, t.step, t.is_report, t.task_id, t.run_step from turns t
    where t.chat_id = $1 and t.seq <= (select seq from current)
    order by t.seq desc limit ${MAX_HISTORY_TURNS}
  ),
  sized as (
    select r.*, m.*, sum(coalesce(octet_length(m.question), 0) + coalesce(octet_length(m.answer), 0)
        + case when r.step > 0 then ${bytesOfSteps('r.id', '')} else 0 end) over (order by r.seq desc) as total
    from recent r cross join lateral (${MESSAGES}) m
  ),
  fitting as (
    select s.*, max(s.total) over () as bytes, min(s.seq) over () as first_seq,
      least(max(s.total) over (), ${MOST_READ_BYTES}) > ${maxBytes} as is_outline
    from sized s where s.total <= ${MAX_HISTORY_BYTES} or s.status = 'running'
  )
  select case when t.is_outline or t.question_excluded and t.status <> 'running' then null else t.question end as question,
    case when t.question_excluded and t.status <> 'running' then null else t.file_ids end as "fileIds",
    case when (t.step > 0 or t.status = 'running') and not coalesce(t.answer_excluded, false) then (
      select coalesce(json_agg(json_build_object('text',
        case when t.is_outline and t.status <> 'running' then '' else s.text end, 'rawText', case when s.is_kept then s.raw_text end, 'state',
        case when s.is_kept then s.state end, 'calls', (
          select coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'argumentsText',
            case when s.is_kept or (k.name = '${TOOL_DESCRIBE.name}' and octet_length(k.arguments::text) <= ${MAX_NAMES_BYTES})
              then k.arguments::text else '{}' end, 'status', k.status, 'result',
            case when s.is_kept or k.result is null then k.result else '${LEFT_OUT}' end) order by k.position), '[]')
          from tool_calls k where k.turn_id = s.turn_id and k.step = s.step
        )) order by s.step), '[]')
      from (
        select m.*, not t.is_outline and (t.status <> 'running' or row_number() over newest = 1
          or sum(m.bytes) over newest <= ${MAX_HISTORY_BYTES}) as is_kept
        from (
          select o.*, case when t.status = 'running' then ${bytesOfSteps('t.id', 'o.step')} else 0 end as bytes
          from model_steps o where o.turn_id = t.id
        ) m window newest as (order by m.step desc)
      ) s
    ) else '[]' end as steps,
    case when t.is_outline or t.answer is null or t.answer_excluded then null
      else json_build_object('content', t.answer, 'status', t.status, 'error', t.error) end as answer,
    case when t.is_report then coalesce((select k.title from tasks k where k.id = t.task_id), '') end as "reportOf",
    t.run_step is not null as "isPromptOfRun",
    case when t.seq = t.first_seq then (
      select count(*)::int from turns where chat_id = $1 and seq < t.first_seq
    ) end as "firstIndex",
    least(t.bytes, ${MOST_READ_BYTES})::int as bytes, t.is_outline as "isOutline"
  from fitting t
  order by t.seq desc`;
}

/** The newest turns of the chat, up to the running one; an outline of them when they are long. */
export const historyForTurn: TurnPart<HistoryRow, TurnHistory> = { text: historyOf(MAX_CLAIMED_BYTES), of: toHistory };

const WHOLE_HISTORY = historyOf(MOST_READ_BYTES);

/** Returns the statement that reads the newest turns of a chat whole. */
export function historyStatement(chatId: string): Statement<HistoryRow> {
  return { name: 'whole-history', text: WHOLE_HISTORY, values: [chatId] };
}

/** Makes the conversation of the rows, which come newest first. */
export function toHistory(rows: readonly HistoryRow[]): TurnHistory {
  const { firstIndex, bytes = 0, isOutline = false } = rows.at(-1) ?? {};
  const turns = rows
    .toReversed()
    .map(({ firstIndex: _firstIndex, bytes: _bytes, isOutline: _isOutline, steps, ...turn }) => ({
      ...turn,
      steps: steps.map(toStep),
    }));
  return { turns, firstIndex: firstIndex ?? 0, bytes, isOutline };
}

function toStep({ calls, ...step }: StepRow): StepRecord {
  return { ...step, calls: calls.map(toCall) };
}

function toCall({ argumentsText, ...call }: StepRow['calls'][number]): CallRecord {
  return { ...call, arguments: parseExactJson(argumentsText) as CallRecord['arguments'] };
}
