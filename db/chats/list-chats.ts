import type { ChatOrigin } from '../../domain/chats/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { whereAll } from '../core/sql/where-all.ts';
import { type Chat, CHAT, OPEN_TURN } from './chat.ts';
import type { ChatReader } from './readable.ts';

interface ChatPage extends Page {
  readonly agentId: string | undefined;
  readonly projectId: string | undefined;
  readonly origin: ChatOrigin | undefined;
  readonly deleted: boolean;
}

/**
 * Returns the chats that the reader began and, if they see those, the shared ones of others; or the reader's deleted
 * ones. The most recently changed come first.
 */
export async function listChats({ tenant }: Database, reader: ChatReader, page: ChatPage): Promise<Listed<Chat>> {
  const { values, lists } = listsOf(reader, page);
  const from = lists.map((where) => `select c.* from chats c where ${where}`).join(' union all ');
  const counts = lists.map((where) => `(select count(*) from chats c where ${where})`).join(' + ');
  // Not prepared: the best index depends on the filters.
  return readPage<Chat>(async (statement) => tenant.query(reader.orgId, statement), {
    columns: CHAT,
    bytes: '500 + octet_length(c.title)',
    source: `from (${from}) c ${OPEN_TURN}`,
    total: `(${counts})`,
    order: 'c.updated_at desc, c.id desc',
    values,
    page,
  });
}

// Deleted ones are shown to their owners alone.
function listsOf(reader: ChatReader, { agentId, projectId, origin, deleted }: ChatPage) {
  const { where, values } = whereAll([
    ['c.org_id = ?', reader.orgId],
    ['c.agent_id = ?', agentId],
    ['c.project_id = ?', projectId],
    ['c.origin = ?', origin],
  ]);
  const user = `$${values.push(reader.userId)}`;
  const all = `${where} and c.parent_chat_id is null`;
  const own = `${all} and c.user_id = ${user} and c.deleted_at is ${deleted ? 'not null' : 'null'}`;
  const shared = `${all} and c.user_id <> ${user} and c.deleted_at is null and c.project_id is not null and not c.is_private`;
  return { values, lists: reader.seesShared && !deleted ? [own, shared] : [own] };
}
