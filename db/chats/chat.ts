import type { EntityManager } from '@mikro-orm/postgresql';
import type { Membership } from '../../domain/orgs.ts';
import type { BoardNews } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { ChatOrigin } from '../../domain/chats.ts';
import type { Statement } from '../core/sql-pool.ts';
import { type ShownWebhook, webhookOfChat } from '../webhooks/set-webhook.ts';

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
  /** Its origin. */
  readonly origin: ChatOrigin;
  readonly status: 'idle' | 'running' | 'waiting';
  /**
   * What the running turn waits for: a person's decision about a call of it or of a sub-agent, a work slot or a
   * provider. A run of a workflow can wait for a decision before its next turn, too. Null while nothing blocks it.
   */
  readonly waitingFor: 'approval' | 'place' | 'provider' | null;
  /** The time until which it waits at most: when a provider is expected back, or a decision is no longer waited for. */
  readonly waitingUntil: Date | null;
  /** Whether its open turn should have continued by now, and no worker has claimed it. */
  readonly isDue: boolean;
  /** The address that is notified of its messages. */
  readonly webhook: ShownWebhook | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
}

/** The columns of `Chat` from `chats c`, with the joins that `OPEN_TURN` makes. */
export const CHAT = `c.id, c.title, c.agent_id as "agentId", c.user_id as "userId", ${projectOf('c')} as "projectId",
  ${isShared('c')} as shared, c.provider_chain_id as "providerChainId",
  c.parent_chat_id as "parentChatId", case when c.parent_chat_id is null then c.origin else 'agent' end as origin, c.created_at as "createdAt", c.updated_at as "updatedAt",
  c.deleted_at as "deletedAt", ${webhookOfChat('c.id')} as webhook, coalesce(turn.decision_until, turn.waiting_until,
    case when turn.id is null then step.decision_until end) as "waitingUntil",
  case when turn.id is null and step.decision_until is null then 'idle'
    when turn.id is not null and coalesce(turn.decision_until, turn.waiting_until) is null then 'running'
    else 'waiting' end as status,
  case when turn.decision_until is not null or (turn.id is null and step.decision_until is not null) then 'approval' when turn.waiting_until is null then null
    when turn.waits_for_work_slot then 'place' else 'provider' end as "waitingFor", coalesce(turn.is_due, false) as "isDue"`;

// The running turn, or the next one, and the wait before a step of a run. The root of the turn is selected by `case`:
// row-level security keeps a condition with `coalesce` from being looked up in an index.
export const OPEN_TURN = `left join lateral (
    select t.id, t.waiting_until, t.is_waiting_for_work_slot or t.is_waiting_for_slot as waits_for_work_slot,
      t.next_wake_at <= now() and (t.lease_until is null or t.lease_until <= now()) as is_due, (
        select min(p.expires_at) from approvals p join turns w on w.id = p.turn_id
        where p.root_turn_id = case when t.parent_turn_id is null then t.id else t.ancestor_ids[1] end and p.status = 'pending'
          and (w.id = t.id or t.id = any(w.ancestor_ids))
      ) as decision_until
    from turns t
    where t.chat_id = c.id and t.status in ('queued', 'running') order by t.seq limit 1
  ) turn on true
  left join lateral (
    select p.expires_at as decision_until from approvals p
    where p.chat_id = c.id and p.run_id is not null and p.status = 'pending' limit 1
  ) step on true`;

/** Returns the chat that a statement has found; `not_found` when it found none. */
export function theChat<T extends Chat>(rows: readonly T[]): T {
  const [chat] = rows;
  if (chat === undefined) throw notFound('Chat');
  return chat;
}

/** Rejects operations that the chat of a sub-agent does not have: it follows the chat at the root. */
export function rejectSubChat({ parentChatId }: Pick<Chat, 'parentChatId'>): void {
  if (parentChatId === null) return;
  throw new AppError('conflict', 'The chat of a sub-agent goes with the chat above it; change that one');
}

/** Returns the news that the tasks of a chat have come to the board of its project, or gone from it. */
export function boardOf(projectId: string | null): BoardNews[] {
  return projectId === null ? [] : [{ projectId, isWhole: true }];
}

/** Somebody who reads chats: their own and, if they see those, the ones that others share with the organization. */
export interface ChatReader extends Membership {
  /** Whether they have `chats.view_shared` in the organization. */
  readonly seesShared: boolean;
}

/**
 * Returns the condition on which a chat is shared: it is in a project, and its owner has not made it private. The chat
 * of a sub-agent is shared when the chat at its root is. `chat` is the name of a row of `chats`.
 */
export function isShared(chat: string): string {
  return `(case when ${chat}.root_chat_id is null then ${chat}.project_id is not null and not ${chat}.is_private
    else exists (
      select from chats root where root.id = ${chat}.root_chat_id and root.project_id is not null and not root.is_private
    ) end)`;
}

/**
 * Returns the condition on which somebody may read a chat. What changes a chat asks for its owner instead. The
 * parameters are those of a `ChatReader`.
 */
export function readableBy(chat: string, userId: string, seesShared: string): string {
  return `(${chat}.user_id = ${userId} or (${seesShared}::boolean and ${isShared(chat)}))`;
}

/** Returns the statement that finds one row when the reader may read a chat, and none otherwise. */
export function readableChat(reader: ChatReader, chatId: string): Statement {
  return {
    name: 'readable-chat',
    text: `select from chats c where c.id = $1 and c.deleted_at is null and ${readableBy('c', '$2', '$3')}`,
    values: [chatId, reader.userId, reader.seesShared],
  };
}

/** Returns the project of a chat, in SQL; that of a sub-agent's chat is the root's. */
export function projectOf(chat: string): string {
  return `(case when ${chat}.root_chat_id is null then ${chat}.project_id
    else (select root.project_id from chats root where root.id = ${chat}.root_chat_id) end)`;
}

/**
 * Returns the condition on which a chat is in a project, or comes back to one that is deleted when that is restored.
 */
export function wasInProject(chat: string): string {
  return `(case when ${chat}.root_chat_id is null then coalesce(${chat}.project_id, ${chat}.former_project_id)
    else (select coalesce(root.project_id, root.former_project_id) from chats root where root.id = ${chat}.root_chat_id)
    end is not null)`;
}

/** Who may see a chat: its owner, and when it is shared those who see shared ones. */
export interface ChatAccess {
  readonly chatId: string;
  readonly orgId: string;
  readonly ownerId: string;
  readonly isShared: boolean;
}

/** Returns who may see chats, deleted ones too; nothing for unknown ids. One statement for all. */
export async function findChatAccess(
  { system }: Pick<Database, 'system'>,
  chatIds: readonly string[],
): Promise<ChatAccess[]> {
  const { rows } = await system.query<ChatAccess>({
    name: 'access-to-chats',
    text: `select c.id as "chatId", c.org_id as "orgId", c.user_id as "ownerId", ${isShared('c')} as "isShared"
      from chats c where c.id = any($1::uuid[])`,
    values: [chatIds],
  });
  return rows;
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

/** Renames the user's chat; `conflict` when it is a sub-agent's. */
export async function renameChat(database: Database, owner: Membership, chatId: string, title: string): Promise<Chat> {
  const rows = await database.tenant.query<Chat>(owner.orgId, {
    name: 'rename-chat',
    text: `with c as (update chats set title = $3, awaits_title = false, updated_at = now()
        where id = $1 and user_id = $2 and deleted_at is null and parent_chat_id is null returning *)
      select ${CHAT} from c ${OPEN_TURN}`,
    values: [chatId, owner.userId, title],
  });
  if (rows.length === 0) rejectSubChat(await getOwnChat(database, owner, chatId));
  return theChat(rows);
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

/** Locks the user's chat until the transaction has ended; `conflict` when it is a sub-agent's. */
export async function lockOwnChat(em: EntityManager, userId: string, chatId: string): Promise<void> {
  const [chat] = await em.execute<Pick<Chat, 'parentChatId'>[]>(
    `select parent_chat_id as "parentChatId" from chats
      where id = ? and user_id = ? and deleted_at is null for no key update`,
    [chatId, userId],
  );
  if (chat === undefined) throw notFound('Chat');
  rejectSubChat(chat);
}
