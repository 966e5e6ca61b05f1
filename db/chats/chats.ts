import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { limitReached } from '../../domain/core/limit-reached.ts';
import { type Membership, DELETED_FACTOR } from '../../domain/orgs/index.ts';
import { type Database, type Listed, type Page, readPage, type Transaction } from '../core/index.ts';
import { LOG_ENTRY_INSERT } from '../project-logs/index.ts';
import { type ChatReader, isShared, projectOf, readableBy } from './readable.ts';

/**
 * A conversation of one user with one agent. `status` says whether a turn is open, and whether it waits for a provider.
 */
export interface Chat {
  readonly id: string;
  readonly title: string;
  readonly agentId: string;
  readonly userId: string;
  readonly projectId: string | null;
  /** Whether members of the organization who see shared chats may read it. */
  readonly shared: boolean;
  readonly providerChainId: string | null;
  /** The chat whose agent delegated this work; null for a chat that a user began. */
  readonly parentChatId: string | null;
  readonly status: 'idle' | 'running' | 'waiting';
  /** The time at which a provider is expected back, while the running turn waits for one. */
  readonly waitingUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
}

/** The columns of `Chat` from `chats c`, with the join that `OPEN_TURN` makes. */
export const CHAT = `c.id, c.title, c.agent_id as "agentId", c.user_id as "userId", ${projectOf('c')} as "projectId",
  ${isShared('c')} as shared, c.provider_chain_id as "providerChainId",
  c.parent_chat_id as "parentChatId", c.created_at as "createdAt", c.updated_at as "updatedAt",
  c.deleted_at as "deletedAt", turn.waiting_until as "waitingUntil",
  case when turn.id is null then 'idle' when turn.waiting_until is null then 'running' else 'waiting' end as status`;

// The running turn, or the next one.
export const OPEN_TURN = `left join lateral (
    select t.id, t.waiting_until from turns t
    where t.chat_id = c.id and t.status in ('queued', 'running') order by t.seq limit 1
  ) turn on true`;

const MATCHES = `c.org_id = $1 and c.parent_chat_id is null and ($3::uuid is null or c.agent_id = $3)
  and ($6::uuid is null or c.project_id = $6)`;
const OWN_CHATS = `${MATCHES} and c.user_id = $2 and (c.deleted_at is not null) = $4`;
// Deleted ones are shown to their owners alone.
const SHARED_CHATS = `${MATCHES} and c.user_id <> $2 and $5::boolean and not $4 and c.deleted_at is null
  and c.project_id is not null and not c.is_private`;

interface ChatPage extends Page {
  readonly agentId: string | undefined;
  readonly projectId: string | undefined;
  readonly deleted: boolean;
}

/**
 * Returns the chats that the reader began and, if they see those, the shared ones of others; or the reader's deleted ones.
 * The most recently changed come first.
 */
export async function listChats({ tenant }: Database, reader: ChatReader, page: ChatPage): Promise<Listed<Chat>> {
  const { orgId, userId, seesShared } = reader;
  const { agentId = null, deleted, projectId = null } = page;
  return readPage<Chat>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-chats',
    columns: CHAT,
    bytes: '500 + octet_length(c.title)',
    source: `from (
        select c.* from chats c where ${OWN_CHATS} union all select c.* from chats c where ${SHARED_CHATS}
      ) c ${OPEN_TURN}`,
    total: `((select count(*) from chats c where ${OWN_CHATS}) + (select count(*) from chats c where ${SHARED_CHATS}))`,
    order: 'c.updated_at desc, c.id desc',
    values: [orgId, userId, agentId, deleted, seesShared, projectId],
    page,
  });
}

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
 * Returns the organization of a chat that is the user's, or shared in an organization of theirs: whether they see shared
 * ones there is still to be checked. `undefined` when there is no such chat.
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

interface NewChat {
  readonly agentId: string;
  readonly title: string;
  /** The project that it belongs to, whose members read it. */
  readonly projectId: string | null;
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

/**
 * Starts a chat with an agent of the organization; `not_found` for another agent and for another project, `conflict` when
 * the organization has reached its limit.
 */
export async function createChat(database: Database, owner: Membership, input: NewChat): Promise<Chat> {
  const chat = await insertChat(database, owner, input);
  if (chat !== undefined) return chat;
  // The counted number may be older than some deletions.
  await recountChats(database, owner.orgId);
  const second = await insertChat(database, owner, input);
  if (second !== undefined) return second;
  const agents = await database.tenant.query(owner.orgId, {
    name: 'agent-of-chat',
    text: 'select from agents where id = $1 and deleted_at is null',
    values: [input.agentId],
  });
  if (agents.length === 0) throw notFound('Agent');
  const projects = await database.tenant.query(owner.orgId, {
    name: 'project-of-chat',
    text: 'select from projects where id = $1 and deleted_at is null',
    values: [input.projectId],
  });
  if (input.projectId !== null && projects.length === 0) throw notFound('Project');
  throw tooManyChats(input.maxChats);
}

function tooManyChats(maxChats: number): AppError {
  return limitReached(`chats, or ${DELETED_FACTOR} times that with deleted ones`, maxChats);
}

async function insertChat({ tenant }: Database, owner: Membership, input: NewChat): Promise<Chat | undefined> {
  const [chat] = await tenant.query<Chat>(owner.orgId, {
    name: 'create-chat',
    text: `with agent as (
        select id from agents where id = $1 and deleted_at is null and not exists (
          select from org_usage where org_id = $3 and (chats >= $6::bigint or chats_made >= ${DELETED_FACTOR} * $6::numeric)
        )
      ),
      project as (select id from projects where id = $7 and deleted_at is null for share),
      c as (
        insert into chats (id, org_id, user_id, agent_id, title, project_id) select $2, $3, $4, id, $5, $7 from agent
        where $7::uuid is null or exists (select from project) returning *
      ),
      noted as (
        ${LOG_ENTRY_INSERT} select $8::uuid, $3::uuid, c.project_id, $4::uuid, null, 'created', 'chat', c.id, null, '{}'::jsonb from c
        where c.project_id is not null
      )
      select ${CHAT} from c ${OPEN_TURN}`,
    values: [
      input.agentId,
      uuidv7(),
      owner.orgId,
      owner.userId,
      input.title,
      input.maxChats,
      input.projectId,
      uuidv7(),
    ],
  });
  return chat;
}

// Called only when the organization seems to have too many.
async function recountChats({ tenant }: Database, orgId: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'recount-chats',
    text: `update org_usage set chats = (
        select count(*) from chats where org_id = $1 and deleted_at is null and parent_chat_id is null
      ) where org_id = $1`,
    values: [orgId],
  });
}

/** Rejects operations that the chat of a sub-agent does not have: it follows the chat at the root. */
export function rejectSubChat({ parentChatId }: Chat): void {
  if (parentChatId === null) return;
  throw new AppError(
    'conflict',
    'The chat of a sub-agent goes with the chat above it; rename, delete or restore that one',
  );
}

/** Renames the user's chat; `conflict` when it is a sub-agent's. */
export async function renameChat(database: Database, owner: Membership, chatId: string, title: string): Promise<Chat> {
  const rows = await database.tenant.query<Chat>(owner.orgId, {
    name: 'rename-chat',
    text: `with c as (update chats set title = $3, updated_at = now()
        where id = $1 and user_id = $2 and deleted_at is null and parent_chat_id is null returning *)
      select ${CHAT} from c ${OPEN_TURN}`,
    values: [chatId, owner.userId, title],
  });
  if (rows.length === 0) rejectSubChat(await getOwnChat(database, owner, chatId));
  return theChat(rows);
}

/** Checks that the user's chat may be deleted; `conflict` when it is a sub-agent's. */
export async function requireDeletableChat(database: Database, owner: Membership, chatId: string): Promise<void> {
  rejectSubChat(await getOwnChat(database, owner, chatId));
}

/** Sets or removes the chain of the user's chat; `not_found` also when there is no such chain. */
export async function setChatProviderChain(
  database: Database,
  owner: Membership,
  chatId: string,
  providerChainId: string | null,
): Promise<Chat> {
  const rows = await database.tenant.query<Chat & { readonly isChanged: boolean }>(owner.orgId, {
    name: 'set-chat-provider-chain',
    text: `with chain as (select id from provider_chains where id = $3 for key share),
      old as (
        select id, provider_chain_id from chats where id = $1 and user_id = $2 and deleted_at is null for no key update
      ),
      c as (update chats set provider_chain_id = $3, updated_at = now() from old
        where chats.id = old.id and ($3::uuid is null or exists (select from chain)) returning chats.*)
      select ${CHAT}, old.provider_chain_id is distinct from $3 as "isChanged"
      from c join old on old.id = c.id ${OPEN_TURN}`,
    values: [chatId, owner.userId, providerChainId],
  });
  const [changed] = rows;
  if (changed !== undefined) {
    const { isChanged, ...chat } = changed;
    if (isChanged) await database.follow([{ wakesTurnsOf: owner.orgId }]);
    return chat;
  }
  await getOwnChat(database, owner, chatId);
  throw notFound('Provider chain');
}

/** Deletes the user's chat softly, and the chats of sub-agents below it. */
export async function deleteChat(database: Database, owner: Membership, chatId: string): Promise<void> {
  const rows = await database.tenant.query<{ id: string }>(owner.orgId, {
    name: 'delete-chat',
    text: `with recursive tree (id) as (
        select id from chats where id = $1 and user_id = $2 and deleted_at is null and parent_chat_id is null
        union all select c.id from tree join chats c on c.parent_chat_id = tree.id
      )
      update chats set deleted_at = now(), updated_at = now() from tree
      where chats.id = tree.id and chats.deleted_at is null returning chats.id`,
    values: [chatId, owner.userId],
  });
  if (rows.length === 0) throw notFound('Chat');
  await database.follow([{ accessOf: [owner.userId], accessTo: rows.map(({ id }) => id) }]);
}

interface Restored extends Chat {
  readonly wasDeleted: boolean;
  readonly hasRoom: boolean;
}

/**
 * Restores the user's deleted chat, and the chats below it; `conflict` when it is not deleted or a sub-agent's, and
 * when the organization has reached its limit of live chats.
 */
export async function restoreChat(
  database: Database,
  owner: Membership,
  { chatId, maxChats }: { readonly chatId: string; readonly maxChats: number },
): Promise<Chat> {
  let restored = await undelete(database, owner, chatId, maxChats);
  if (restored.wasDeleted && !restored.hasRoom) {
    // The counted number may be older than some deletions.
    await recountChats(database, owner.orgId);
    restored = await undelete(database, owner, chatId, maxChats);
  }
  const { wasDeleted, hasRoom, ...chat } = restored;
  rejectSubChat(chat);
  if (!wasDeleted) throw new AppError('conflict', 'Chat is not deleted');
  if (!hasRoom) throw tooManyChats(maxChats);
  return chat;
}

async function undelete(
  { tenant }: Database,
  { orgId, userId }: Membership,
  chatId: string,
  maxChats: number,
): Promise<Restored> {
  const rows = await tenant.query<Restored>(orgId, {
    name: 'restore-chat',
    text: `with recursive old as (
        select id, deleted_at, parent_chat_id is null and not exists (
          select from org_usage where org_id = $3 and chats >= $4::bigint
        ) as has_room
        from chats where id = $1 and user_id = $2 for update
      ),
      c as (
        update chats set deleted_at = case when not old.has_room then chats.deleted_at end,
          updated_at = case when old.has_room then now() else chats.updated_at end
        from old where chats.id = old.id returning chats.*
      ),
      tree (id) as (
        select id from old where old.has_room and old.deleted_at is not null
        union all select s.id from tree join chats s on s.parent_chat_id = tree.id
      ),
      below as (
        update chats set deleted_at = null from tree where chats.id = tree.id and chats.parent_chat_id is not null
      ),
      counted as (
        update org_usage u set chats = u.chats + 1 from old
        where u.org_id = $3 and old.has_room and old.deleted_at is not null
      )
      select ${CHAT}, old.deleted_at is not null as "wasDeleted", old.has_room as "hasRoom"
      from c join old on old.id = c.id ${OPEN_TURN}`,
    values: [chatId, userId, orgId, maxChats],
  });
  return theChat(rows);
}

function theChat<T extends Chat>(rows: readonly T[]): T {
  const [chat] = rows;
  if (chat === undefined) throw notFound('Chat');
  return chat;
}

/** Deletes a batch of an organization's chats, with their turns and messages; returns how many. */
export async function deleteChatsOf(system: Transaction, orgId: string, limit: number): Promise<number> {
  const { rowCount } = await system.query(
    'delete from chats where id in (select id from chats where org_id = $1 limit $2)',
    [orgId, limit],
  );
  return rowCount ?? 0;
}
