import type { Membership } from '../../domain/orgs.ts';
import type { Database } from '../core/index.ts';
import { type Chat, CHAT, type ChatReader, isShared, OPEN_TURN, projectOf, readableBy, theChat } from './chat.ts';

/** Returns a chat that the reader may read; `not_found` when there is none. */
export async function getChat({ tenant }: Database, reader: ChatReader, chatId: string): Promise<Chat> {
  const rows = await tenant.query<Chat>(reader.orgId, {
    name: 'get-chat',
    text: `select ${CHAT} from chats c ${OPEN_TURN}
      where c.id = $1 and c.deleted_at is null and ${readableBy('c', '$2', '$3')}`,
    values: [chatId, reader.userId, reader.seesShared],
  });
  return theChat(rows);
}

/** Returns the user's own chat; `not_found` when there is none. */
export async function getOwnChat(database: Database, { orgId, userId }: Membership, chatId: string): Promise<Chat> {
  return getChat(database, { orgId, userId, seesShared: false }, chatId);
}

/**
 * Returns the organization of a chat that is the user's, or shared in an organization of theirs: whether they see
 * shared ones there is still to be checked. `undefined` when there is no such chat.
 */
export async function findOrgOfChat({ system }: Database, userId: string, chatId: string): Promise<string | undefined> {
  const { rows } = await system.query<{ orgId: string }>({
    name: 'org-of-chat',
    text: `select c.org_id as "orgId" from chats c where c.id = $1 and c.deleted_at is null and (c.user_id = $2 or (
        ${isShared('c')} and exists (select from memberships m where m.org_id = c.org_id and m.user_id = $2)
      ))`,
    values: [chatId, userId],
  });
  return rows[0]?.orgId;
}

/** Returns the project of a chat, that of its root for a sub-agent's; `undefined` when it is in none. */
export async function findProjectOfChat(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  chatId: string,
): Promise<string | undefined> {
  const [chat] = await tenant.query<{ projectId: string | null }>(orgId, {
    name: 'find-project-of-chat',
    text: `select ${projectOf('c')} as "projectId" from chats c where c.id = $1`,
    values: [chatId],
  });
  return chat?.projectId ?? undefined;
}
