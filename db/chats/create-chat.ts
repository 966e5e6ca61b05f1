import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { UNTITLED } from '../../domain/chats.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs.ts';
import type { Database } from '../core/database.ts';
import { LOG_ENTRY_INSERT, noteInLog } from '../project-logs.ts';
import { type Chat, CHAT, OPEN_TURN } from './chat.ts';
import { hasRoomForChat, recountChats, recountChatsIn } from './usage.ts';

interface NewChat {
  readonly agentId: string;
  /** Null for none: it is called after its first message. */
  readonly title: string | null;
  /** The project that it belongs to, whose members read it. */
  readonly projectId: string | null;
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

/**
 * Starts a chat with an agent of the organization; `not_found` for another agent and for another project, `conflict`
 * when the owner has reached the limit.
 */
export async function createChat(database: Database, owner: Membership, input: NewChat): Promise<Chat> {
  const chat = await insertChat(database, owner, input);
  if (chat !== undefined) return chat;
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
  throw orgLimitReached('chats', { chats: input.maxChats });
}

async function insertChat({ tenant }: Database, owner: Membership, input: NewChat): Promise<Chat | undefined> {
  const [chat] = await tenant.query<Chat>(owner.orgId, {
    name: 'create-chat',
    text: `with agent as (
        select id from agents where id = $1 and deleted_at is null and ${hasRoomForChat('$3', '$6')}
      ),
      project as (select id from projects where id = $7 and deleted_at is null for share),
      c as (
        insert into chats (id, org_id, user_id, agent_id, title, awaits_title, project_id)
        select $2, $3, $4, id, coalesce($5, '${UNTITLED}'), $5 is null, $7 from agent
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

/** A chat that is added with something else, or not at all. */
interface AddedChat {
  readonly agentId: string;
  readonly title: string;
  readonly projectId: string | null;
  readonly origin: 'person' | 'program' | 'issue';
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

/** Adds a chat, to a project if given; `conflict` when the owner has reached the limit. Returns its id. */
export async function addChat(em: EntityManager, owner: Membership, chat: AddedChat): Promise<string> {
  const id = uuidv7();
  if (!(await insertAdded(em, owner, id, chat))) {
    await recountChatsIn(em, owner.orgId);
    if (!(await insertAdded(em, owner, id, chat))) throw orgLimitReached('chats', { chats: chat.maxChats });
  }
  const { projectId } = chat;
  if (projectId !== null)
    await noteInLog(em, owner, { projectId, action: 'created', recordType: 'chat', recordId: id, title: null });
  return id;
}

async function insertAdded(
  em: EntityManager,
  { orgId, userId }: Membership,
  id: string,
  { agentId, title, projectId, origin, maxChats }: AddedChat,
): Promise<boolean> {
  const added = await em.execute<object[]>(
    `insert into chats (id, org_id, user_id, agent_id, title, project_id, origin) select ?, ?, ?, ?, ?, ?, ?
      where ${hasRoomForChat('?', '?')} returning id`,
    [id, orgId, userId, agentId, title, projectId, origin, orgId, maxChats, maxChats],
  );
  return added.length > 0;
}

interface Fork {
  readonly chatId: string;
  /** That of the chat when it is null. */
  readonly title: string | null;
  /** Whether it stays in the project of the chat. */
  readonly keepsProject: boolean;
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

/**
 * Adds an empty chat that is like one of the user's: with its agent, project, chain of providers and mark of foreign
 * text, and as private. Returns its id. `conflict` when the owner has reached the limit.
 */
export async function addFork(database: Database, owner: Membership, fork: Fork): Promise<string> {
  const id = uuidv7();
  if (await insertFork(database, owner, id, fork)) return id;
  await recountChats(database, owner.orgId);
  if (await insertFork(database, owner, id, fork)) return id;
  const known = await database.tenant.query(owner.orgId, {
    name: 'chat-to-fork',
    text: 'select from chats where id = $1 and user_id = $2 and deleted_at is null',
    values: [fork.chatId, owner.userId],
  });
  throw known.length === 0 ? notFound('Chat') : orgLimitReached('chats', { chats: fork.maxChats });
}

async function insertFork(
  { tenant }: Database,
  { orgId, userId }: Membership,
  id: string,
  { chatId, title, keepsProject, maxChats }: Fork,
): Promise<boolean> {
  const added = await tenant.query(orgId, {
    name: 'add-fork',
    text: `with c as (
        insert into chats (id, org_id, user_id, agent_id, title, awaits_title, project_id, is_private, provider_chain_id, has_foreign_text)
        select $2, org_id, user_id, agent_id, coalesce($4, title), $4::text is null and awaits_title, case when $5 then project_id end, is_private,
          provider_chain_id, has_foreign_text
        from chats
        where id = $1 and user_id = $3 and deleted_at is null and parent_chat_id is null and ${hasRoomForChat('$6', '$7')}
        returning *
      ),
      noted as (
        ${LOG_ENTRY_INSERT} select $8::uuid, $6::uuid, c.project_id, $3::uuid, null, 'created', 'chat', c.id, null, '{}'::jsonb from c
        where c.project_id is not null
      )
      select id from c`,
    values: [chatId, id, userId, title, keepsProject, orgId, maxChats, uuidv7()],
  });
  return added.length > 0;
}
