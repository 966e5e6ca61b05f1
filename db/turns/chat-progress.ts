import { type Message, MESSAGE_COLUMNS, MESSAGE_JOINS } from '../chats/index.ts';
import type { FinalTurnStatus } from '../../domain/turns/index.ts';
import type { Database } from '../core/database.ts';

/** A turn that has ended, with its assistant message. */
export interface EndedTurn {
  readonly id: string;
  readonly seq: number;
  readonly chatId: string;
  readonly status: FinalTurnStatus;
  readonly answer: Message;
}

const STATE = `t.id, t.seq, t.chat_id as "chatId", t.status`;

/** Place of the chat's newest turn that has ended, 0 when none has, and the oldest open turn. */
export async function chatPosition(
  { tenant }: Database,
  { orgId, chatId }: { orgId: string; chatId: string },
): Promise<{ endedSeq: number; openTurn: { id: string; seq: number } | null }> {
  const [row] = await tenant.query<{ endedSeq: number; openTurn: { id: string; seq: number } | null }>(orgId, {
    name: 'chat-position',
    text: `with open as (
        select id, seq from turns where chat_id = $1 and status in ('queued', 'running') order by seq limit 1
      )
      select coalesce((select max(seq) from turns where chat_id = $1
          and seq < coalesce((select seq from open), 9223372036854775807)), 0) as "endedSeq",
        (select json_build_object('id', id, 'seq', seq) from open) as "openTurn"`,
    values: [chatId],
  });
  return row ?? { endedSeq: 0, openTurn: null };
}

/** Asks for the turns of a chat that came after the turn at `afterSeq`. */
export interface ProgressQuery {
  readonly chatId: string;
  readonly afterSeq: number;
}

/** For each chat the turns after the given place that have ended before any open one, in order; one statement for all. */
export async function endedTurnsAfter({ system }: Database, queries: readonly ProgressQuery[]): Promise<EndedTurn[]> {
  const { rows } = await system.query<EndedTurn>({
    name: 'ended-turns-after',
    text: `select ${STATE}, message.answer
      from unnest($1::uuid[], $2::bigint[]) as asked (chat_id, after_seq)
      join turns t on t.chat_id = asked.chat_id and t.seq > asked.after_seq and t.ended_at is not null
      join lateral (
        select to_jsonb(answer) as answer from (
          select ${MESSAGE_COLUMNS} from messages m ${MESSAGE_JOINS} where m.turn_id = t.id and m.role = 'assistant' limit 1
        ) answer
      ) message on true
      where not exists (
        select from turns open where open.chat_id = t.chat_id and open.seq < t.seq and open.status in ('queued', 'running')
      )
      order by t.chat_id, t.seq limit 500`,
    values: [queries.map(({ chatId }) => chatId), queries.map(({ afterSeq }) => afterSeq)],
  });
  return rows.map((row) => ({ ...row, answer: reviveDates(row.answer) }));
}

/** The turn of the organization if it has ended; `undefined` while it is open, and when there is none. */
export async function findEndedTurn(
  { tenant }: Database,
  orgId: string,
  turnId: string,
): Promise<EndedTurn | undefined> {
  const [row] = await tenant.query<EndedTurn>(orgId, {
    name: 'find-ended-turn',
    text: `select ${STATE}, message.answer
      from turns t
      join lateral (
        select to_jsonb(answer) as answer from (
          select ${MESSAGE_COLUMNS} from messages m ${MESSAGE_JOINS} where m.turn_id = t.id and m.role = 'assistant' limit 1
        ) answer
      ) message on true
      where t.id = $1 and t.ended_at is not null`,
    values: [turnId],
  });
  return row && { ...row, answer: reviveDates(row.answer) };
}

// JSON carries the timestamps of a nested row as text.
function reviveDates(message: Message): Message {
  return { ...message, createdAt: new Date(message.createdAt), updatedAt: new Date(message.updatedAt) };
}
