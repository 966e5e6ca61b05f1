import { notFound } from '../../domain/core/app-error.ts';
import type { ChatOwner } from '../chats/index.ts';
import type { Database } from '../core/database.ts';

/** Channel on which workers hear at once which turn is to stop; the row is what decides. */
export const CONTROL_CHANNEL = 'turn_control';

/**
 * Asks the chat's running turn to stop, or the next one when none runs yet, and answers its id. Answers `undefined`
 * when the chat has no open turn: interrupting twice, or after the end, changes nothing.
 */
export async function requestInterrupt(
  { tenant, stream }: Database,
  owner: ChatOwner,
  chatId: string,
): Promise<string | undefined> {
  const [row] = await tenant.query<{ turnId: string | null }>(owner.orgId, {
    name: 'request-interrupt',
    text: `with chat as (select id from chats where id = $1 and user_id = $2 and deleted_at is null),
      turn as (
        update turns set interrupt_requested_at = coalesce(interrupt_requested_at, now())
        where id = (
          select t.id from turns t join chat on chat.id = t.chat_id
          where t.status in ('queued', 'running') order by t.seq limit 1
        ) and status in ('queued', 'running')
        returning id
      )
      select (select id from turn) as "turnId" from chat`,
    values: [chatId, owner.userId],
  });
  if (row === undefined) throw notFound('Chat');
  if (row.turnId === null) return undefined;
  await stream.query('select pg_notify($1, $2)', [CONTROL_CHANNEL, row.turnId]);
  return row.turnId;
}

/** Those of the turns that were asked to stop. */
export async function findInterrupted({ system }: Database, turnIds: readonly string[]): Promise<string[]> {
  const { rows } = await system.query<{ id: string }>({
    name: 'find-interrupted',
    text: 'select id from turns where id = any($1::uuid[]) and interrupt_requested_at is not null',
    values: [turnIds],
  });
  return rows.map(({ id }) => id);
}
