import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';

/** A conversation of one user with one agent. `status` tells whether a turn is open. */
export interface Chat {
  readonly id: string;
  readonly title: string;
  readonly agentId: string;
  readonly userId: string;
  readonly status: 'idle' | 'running';
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
}

/** Whose chat is meant: a user reaches their own only. */
export interface ChatOwner {
  readonly orgId: string;
  readonly userId: string;
}

const CHAT = `c.id, c.title, c.agent_id as "agentId", c.user_id as "userId", c.created_at as "createdAt",
  c.updated_at as "updatedAt", c.deleted_at as "deletedAt",
  case when exists (select from turns t where t.chat_id = c.id and t.status in ('queued', 'running'))
    then 'running' else 'idle' end as status`;

const OWN_CHATS = `from chats c
  where c.org_id = $1 and c.user_id = $2 and c.deleted_at is null and ($3::uuid is null or c.agent_id = $3)`;

interface ChatPage {
  readonly agentId: string | undefined;
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

/** The user's chats, the one that changed last first, and how many there are in all. */
export async function listChats(
  { tenant }: Database,
  owner: ChatOwner,
  page: ChatPage,
): Promise<{ chats: Chat[]; total: number }> {
  const filter = [owner.orgId, owner.userId, page.agentId ?? null];
  const [counts, chats] = await tenant.series(owner.orgId, [
    { name: 'count-chats', text: `select count(*) as total ${OWN_CHATS}`, values: filter },
    {
      name: 'list-chats',
      text: `select ${CHAT} ${OWN_CHATS} order by c.updated_at desc, c.id desc limit $4 offset $5`,
      values: [...filter, page.limit ?? null, page.offset ?? 0],
    },
  ]);
  const [count] = (counts ?? []) as { total: number }[];
  return { chats: (chats ?? []) as Chat[], total: count?.total ?? 0 };
}

/** The user's chat; `not_found` when there is none. */
export async function getChat({ tenant }: Database, owner: ChatOwner, chatId: string): Promise<Chat> {
  const rows = await tenant.query<Chat>(owner.orgId, {
    name: 'get-chat',
    text: `select ${CHAT} from chats c where c.id = $1 and c.user_id = $2 and c.deleted_at is null`,
    values: [chatId, owner.userId],
  });
  return theChat(rows);
}

/** Starts a chat with an agent of the organization; `not_found` when the agent is not one. */
export async function createChat(
  { tenant }: Database,
  owner: ChatOwner,
  input: { agentId: string; title: string },
): Promise<Chat> {
  const rows = await tenant.query<Chat>(owner.orgId, {
    name: 'create-chat',
    text: `with agent as (select id from agents where id = $1 and deleted_at is null),
      c as (insert into chats (id, org_id, user_id, agent_id, title) select $2, $3, $4, id, $5 from agent returning *)
      select ${CHAT} from c`,
    values: [input.agentId, uuidv7(), owner.orgId, owner.userId, input.title],
  });
  const [chat] = rows;
  if (chat === undefined) throw notFound('Agent');
  return chat;
}

/** Renames the user's chat. */
export async function renameChat({ tenant }: Database, owner: ChatOwner, chatId: string, title: string): Promise<Chat> {
  const rows = await tenant.query<Chat>(owner.orgId, {
    name: 'rename-chat',
    text: `with c as (update chats set title = $3, updated_at = now()
        where id = $1 and user_id = $2 and deleted_at is null returning *)
      select ${CHAT} from c`,
    values: [chatId, owner.userId, title],
  });
  return theChat(rows);
}

/** Deletes the user's chat softly. */
export async function deleteChat({ tenant }: Database, owner: ChatOwner, chatId: string): Promise<void> {
  const rows = await tenant.query(owner.orgId, {
    name: 'delete-chat',
    text: `update chats set deleted_at = now(), updated_at = now()
      where id = $1 and user_id = $2 and deleted_at is null returning id`,
    values: [chatId, owner.userId],
  });
  if (rows.length === 0) throw notFound('Chat');
}

/** Takes the deletion of the user's chat back; `conflict` when it is not deleted. */
export async function restoreChat({ tenant }: Database, owner: ChatOwner, chatId: string): Promise<Chat> {
  const rows = await tenant.query<Chat & { wasDeleted: boolean }>(owner.orgId, {
    name: 'restore-chat',
    text: `with old as (select id, deleted_at from chats where id = $1 and user_id = $2 for update),
      c as (update chats set deleted_at = null, updated_at = now() from old where chats.id = old.id returning chats.*)
      select ${CHAT}, old.deleted_at is not null as "wasDeleted" from c join old on old.id = c.id`,
    values: [chatId, owner.userId],
  });
  const { wasDeleted, ...chat } = theChat(rows);
  if (!wasDeleted) throw new AppError('conflict', 'Chat is not deleted');
  return chat;
}

function theChat<T extends Chat>(rows: readonly T[]): T {
  const [chat] = rows;
  if (chat === undefined) throw notFound('Chat');
  return chat;
}
