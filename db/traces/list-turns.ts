import { notFound } from '../../domain/core/app-error.ts';
import { type ChatReader, readableChat } from '../chats/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { TURN_COLUMNS, TURN_JOINS, type TurnSummary } from './turn-summary.ts';

/** Returns the turns of a chat that the reader may read, newest first; `not_found` when there is no such chat. */
export async function listTurns(
  { tenant }: Database,
  reader: ChatReader,
  chatId: string,
  page: Page,
): Promise<Listed<TurnSummary>> {
  return readPage<TurnSummary>(
    async (statement) => {
      const [chats, turns] = await tenant.series(reader.orgId, [readableChat(reader, chatId), statement]);
      if (chats.length !== 1) throw notFound('Chat');
      return turns;
    },
    {
      name: 'list-turns',
      columns: TURN_COLUMNS,
      bytes: `1500 + coalesce(octet_length(m.metadata ->> 'error'), 0)`,
      source: `from turns t ${TURN_JOINS} where t.chat_id = $1`,
      total: '(select count(*) from turns where chat_id = $1)',
      order: 't.seq desc',
      values: [chatId],
      page,
    },
  );
}
