import type { CallStatus } from '../../../domain/tool-calls/tool-call.ts';
import type { Database } from '../../core/database.ts';
import { parseJsonTexts, type WithJsonTexts } from '../../records/records.ts';
import type { UsedTokens } from '../claim/claimed-turn.ts';
import { SUM_OF_USAGE } from '../steps/step.ts';

/** A call in the metadata of the turn's message. */
export interface TurnCall {
  readonly id: string;
  /** The model step that made it, from 0. */
  readonly step: number;
  readonly name: string;
  readonly label: string;
  /** Those with which it was made: the model's, or those that a person has approved instead. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  readonly result: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** The sub-agent that answered it. */
  readonly task: TurnTask | null;
}

/** Work that was delegated to a sub-agent. */
export interface TurnTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly subChatId: string | null;
  readonly output: string | null;
  readonly usage: UsedTokens;
}

/** The length read of a result and of a sub-agent's answer, in characters: more than is finally shown. */
const MAX_TEXT_READ = 4_000;

/** The bytes read of the arguments of a turn's calls; further calls come without arguments. */
const MAX_ARGUMENTS_READ = 4_000_000;
/**
 * The size up to which a call's arguments are read whole, in bytes; of longer ones the beginnings of the first fields
 * are read.
 */
const MAX_WHOLE_ARGUMENTS = 16_000;

/** Returns every call of a turn, in order, with the beginnings of its arguments and result. */
export async function listTurnCalls({ tenant }: Database, orgId: string, turnId: string): Promise<TurnCall[]> {
  const rows = await tenant.query<WithJsonTexts<TurnCall, 'arguments'>>(orgId, {
    name: 'list-turn-calls',
    text: `select k.id, k.step, k.name, k.label, (${BOUNDED_ARGUMENTS})::text as arguments, k.status, left(k.result, ${MAX_TEXT_READ}) as result, k.started_at as "startedAt",
        k.ended_at as "endedAt", case when s.id is not null then json_build_object('id', s.id, 'title', s.title, 'status',
          s.status, 'agentId', s.assigned_agent_id, 'agentName', a.name, 'subChatId', s.sub_chat_id, 'output', left(s.output, ${MAX_TEXT_READ}),
          'usage', u.used) end as task
      from (
          select m.*, sum(least(octet_length(m.arguments::text), ${MAX_WHOLE_ARGUMENTS})) over (order by m.step, m.position) as total
          from (
            select c.id, c.step, c.position, c.name, c.label, coalesce(p.edited_arguments, c.arguments) as arguments, c.status, c.result,
              c.started_at, c.ended_at
            from tool_calls c left join approvals p on p.call_id = c.id and p.status <> 'outdated' where c.turn_id = $1
          ) m
        ) k left join tasks s on s.call_id = k.id left join agents a on a.id = s.assigned_agent_id
        left join lateral (
          select ${SUM_OF_USAGE} as used from token_usage where turn_id = s.id
        ) u on true
      order by k.step, k.position`,
    values: [turnId],
  });
  return rows.map((row) => parseJsonTexts<TurnCall, 'arguments'>(row, ['arguments']));
}

const BOUNDED_ARGUMENTS = `case when k.total > ${MAX_ARGUMENTS_READ} then '{}'
  when octet_length(k.arguments::text) <= ${MAX_WHOLE_ARGUMENTS} then k.arguments
  else (
    select json_object_agg(left(e.key, 200), case
      when json_typeof(e.value) = 'string' then to_json(left(e.value #>> '{}', ${MAX_TEXT_READ}))
      when octet_length(e.value::text) <= 2000 then e.value else to_json('…'::text) end)
    from (select * from json_each(k.arguments) limit 4) e
  ) end`;
