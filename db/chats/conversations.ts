import { notFound } from '../../domain/core/app-error.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { type Chat, CHAT, OPEN_TURN } from './chat.ts';
import { type ChatReader, readableBy } from './readable.ts';

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
