import type { ChatOrigin } from '../../domain/chats.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { whereAll } from '../core/sql.ts';
import { type Chat, CHAT, type ChatReader, OPEN_TURN, readableBy } from './chat.ts';

/** More chats than fit in the bytes of a page, so that the bytes alone end a list without a limit. */
const MOST_CHATS = 10_000;

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
    page: { ...page, limit: page.limit ?? MOST_CHATS },
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

/** The beginning of the statement that stores the conversation of a run, together with the run. */
export const CHAT_OF_RUN_INSERT = 'insert into chats (id, org_id, user_id, agent_id, title, has_foreign_text, origin)';

const MATCHES = `c.id in (select r.chat_id from workflow_runs r where r.workflow_id = $1)
  and c.deleted_at is null and ${readableBy('c', '$2', '$3')}`;

/** Returns the conversations of a workflow's runs that somebody may read, the newest first. */
export async function listConversations(
  { tenant }: Database,
  reader: ChatReader,
  workflowId: string,
  page: Page,
): Promise<Listed<Chat>> {
  return readPage<Chat>(async (statement) => tenant.query(reader.orgId, statement), {
    name: 'list-conversations',
    columns: CHAT,
    bytes: '500 + octet_length(c.title)',
    source: `from chats c ${OPEN_TURN} where ${MATCHES}`,
    total: `(select count(*) from chats c where ${MATCHES})`,
    order: 'c.id desc',
    values: [workflowId, reader.userId, reader.seesShared],
    page,
  });
}

/** Checks that a chat is the conversation of one of a workflow's runs; `not_found` when it is not. */
export async function requireConversation(
  { tenant }: Database,
  orgId: string,
  { workflowId, chatId }: { readonly workflowId: string; readonly chatId: string },
): Promise<void> {
  const found = await tenant.query(orgId, {
    name: 'require-conversation',
    text: 'select from workflow_runs where workflow_id = $1 and chat_id = $2 limit 1',
    values: [workflowId, chatId],
  });
  if (found.length === 0) throw notFound('Chat');
}
