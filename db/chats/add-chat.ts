import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { type Membership, orgLimitReached } from '../../domain/orgs/index.ts';
import { noteInLog } from '../project-logs/index.ts';
import { hasRoomForChat, recountChatsIn } from './usage/chat-limit.ts';

/** A chat that is added with something else, or not at all. */
interface AddedChat {
  readonly agentId: string;
  readonly title: string;
  readonly projectId: string | null;
  readonly origin: 'program' | 'issue';
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

/** Adds a chat, to a project if given; `conflict` when the owner has reached the limit. Returns its id. */
export async function addChat(em: EntityManager, owner: Membership, chat: AddedChat): Promise<string> {
  const id = uuidv7();
  if (!(await insertChat(em, owner, id, chat))) {
    await recountChatsIn(em, owner.orgId);
    if (!(await insertChat(em, owner, id, chat))) throw orgLimitReached('chats', { chats: chat.maxChats });
  }
  const { projectId } = chat;
  if (projectId !== null)
    await noteInLog(em, owner, { projectId, action: 'created', recordType: 'chat', recordId: id, title: null });
  return id;
}

async function insertChat(
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
