import { notFound } from '../../domain/core/app-error.ts';
import { type ChatReader, readableBy } from '../chats/chat.ts';
import type { Database } from '../core/database.ts';

/** A turn and the user's message that it answers. */
export interface StreamedTurn {
  readonly turnId: string;
  readonly messageId: string;
}

/**
 * Returns the turn `turnId` of a chat that the reader may read if given, otherwise its oldest open turn; `undefined`
 * when there is none. `not_found` when there is no such chat.
 */
export async function findStreamedTurn(
  { tenant }: Database,
  reader: ChatReader,
  chatId: string,
  turnId: string | undefined,
): Promise<StreamedTurn | undefined> {
  const [row] = await tenant.query<{ turn: StreamedTurn | null }>(reader.orgId, {
    name: 'find-streamed-turn',
    text: `select (
        select json_build_object('turnId', t.id, 'messageId', m.id)
        from turns t join messages m on m.turn_id = t.id and m.role = 'user'
        where t.chat_id = c.id and (t.id = $3 or ($3::uuid is null and t.status in ('queued', 'running')))
        order by t.seq limit 1
      ) as turn
      from chats c where c.id = $1 and c.deleted_at is null and ${readableBy('c', '$2', '$4')}`,
    values: [chatId, reader.userId, turnId ?? null, reader.seesShared],
  });
  if (row === undefined) throw notFound('Chat');
  return row.turn ?? undefined;
}
