import type { TurnRecord } from '../../domain/transcripts/index.ts';
import type { TurnPart } from '../turns/index.ts';

/** The conversation up to a turn. */
export interface TurnHistory {
  /** Oldest first; the last one is the turn itself. */
  readonly turns: readonly TurnRecord[];
  /** The number of the chat's turns before the first of `turns`. */
  readonly firstIndex: number;
}

interface HistoryRow extends TurnRecord {
  /** The position of the chat's current turn, from 1; the same in each row. */
  readonly position: number;
}

const MAX_HISTORY_TURNS = 400;
/** More than the longest context window holds. It bounds the turns that are read, and the steps of the running one. */
const MAX_HISTORY_BYTES = 4_000_000;
/** Replaces the result of a call whose step is no longer read. */
const LEFT_OUT = '[Left out: the steps of this turn are too long to be shown.]';

// A subquery for each turn, not a join: a plan from when the table was empty would scan it for each.
function messageOf(role: 'user' | 'assistant'): string {
  return `select m.content, m.excluded, m.metadata, m.file_ids from messages m where m.turn_id = r.id and m.role = '${role}' limit 1`;
}

// Returns the size of a turn's steps beside their text, uncompressed: the compressed size would bound nothing.
function bytesOfSteps(turnId: string, step: string): string {
  return `(select coalesce(sum(coalesce(octet_length(b.raw_text), 0) + coalesce(octet_length(b.state::text), 0)), 0)
      from model_steps b where b.turn_id = ${turnId} ${step === '' ? '' : `and b.step = ${step}`})
    + (select coalesce(sum(octet_length(b.arguments::text) + coalesce(octet_length(b.result), 0)), 0)
      from tool_calls b where b.turn_id = ${turnId} ${step === '' ? '' : `and b.step = ${step}`})`;
}

// For a running turn that is too large, the newest steps are read whole. It is the oldest running one: the claim has
// just marked it as running.
const HISTORY = `with current as (select min(seq) as seq from turns where chat_id = $1 and status = 'running'),
  recent as (
    select t.id, t.seq, t.status, t.step, t.is_report, t.task_id, t.run_step from turns t
    where t.chat_id = $1 and t.seq <= (select seq from current)
    order by t.seq desc limit ${MAX_HISTORY_TURNS}
  ),
  sized as (
    select r.*, u.content as question, u.excluded as question_excluded, u.file_ids, a.content as answer, a.excluded as answer_excluded,
      a.metadata ->> 'error' as error,
      sum(coalesce(octet_length(u.content), 0) + coalesce(octet_length(a.content), 0)
        + case when r.step > 0 then ${bytesOfSteps('r.id', '')} else 0 end) over (order by r.seq desc) as total
    from recent r left join lateral (${messageOf('user')}) u on true left join lateral (${messageOf('assistant')}) a on true
  )
  select case when t.question_excluded and t.status <> 'running' then null else t.question end as question,
    case when t.question_excluded and t.status <> 'running' then null else t.file_ids end as "fileIds",
    case when (t.step > 0 or t.status = 'running') and not coalesce(t.answer_excluded, false) then (
      select coalesce(json_agg(json_build_object('text', s.text, 'rawText', case when s.is_kept then s.raw_text end, 'state',
        case when s.is_kept then s.state end, 'calls', (
          select coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'arguments',
            case when s.is_kept then k.arguments else '{}' end, 'status', k.status, 'result',
            case when s.is_kept or k.result is null then k.result else '${LEFT_OUT}' end) order by k.position), '[]')
          from tool_calls k where k.turn_id = s.turn_id and k.step = s.step
        )) order by s.step), '[]')
      from (
        select m.*, t.status <> 'running' or row_number() over newest = 1 or sum(m.bytes) over newest <= ${MAX_HISTORY_BYTES} as is_kept
        from (
          select o.*, case when t.status = 'running' then ${bytesOfSteps('t.id', 'o.step')} else 0 end as bytes
          from model_steps o where o.turn_id = t.id
        ) m window newest as (order by m.step desc)
      ) s
    ) else '[]' end as steps,
    case when t.answer is null or t.answer_excluded then null
      else json_build_object('content', t.answer, 'status', t.status, 'error', t.error) end as answer,
    case when t.is_report then coalesce((select k.title from tasks k where k.id = t.task_id), '') end as "reportOf",
    t.run_step is not null as "isPromptOfRun",
    (select count(*)::int from turns where chat_id = $1 and seq <= (select seq from current)) as position
  from sized t
  where t.total <= ${MAX_HISTORY_BYTES} or t.status = 'running'
  order by t.seq desc`;

/** The newest turns of the chat, up to the running one. */
export const historyForTurn: TurnPart<HistoryRow, TurnHistory> = {
  statement: ({ chatId }) => ({ name: 'history-for-turn', text: HISTORY, values: [chatId] }),
  of: (rows) => {
    const turns = rows.toReversed().map(({ position: _position, ...turn }) => turn);
    return { turns, firstIndex: (rows[0]?.position ?? 0) - turns.length };
  },
};
