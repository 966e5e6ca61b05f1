import { v7 as uuidv7 } from 'uuid';
import { UNTITLED } from '../../domain/chats/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs/index.ts';
import type { Database } from '../core/index.ts';
import { LOG_ENTRY_INSERT } from '../project-logs/index.ts';
import { type Chat, CHAT, OPEN_TURN } from './chat.ts';
import { hasRoomForChat, recountChats } from './usage/chat-limit.ts';

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
