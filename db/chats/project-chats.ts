import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { LOG_ENTRY_INSERT } from '../project-logs.ts';
import { boardOf, type Chat, CHAT, getOwnChat, OPEN_TURN, rejectSubChat } from './chat.ts';

/** A project that is deleted or restored. */
interface ProjectRef {
  readonly id: string;
  readonly orgId: string;
}

/** Removes the chats from a project that is being deleted; from then on only their owners read them. */
export async function unlinkChats(em: EntityManager, { id, orgId }: ProjectRef): Promise<void> {
  await em.execute(
    `update chats set project_id = null, former_project_id = project_id, left_project_at = now() where project_id = ?`,
    [id],
  );
  afterCommit(em, { accessTo: [orgId] });
}

/**
 * Relinks the chats of a project that is being restored, which are shared again. Those that were continued in the
 * meantime come back private: their newer messages were for their owners alone.
 */
export async function relinkChats(em: EntityManager, { id }: ProjectRef): Promise<void> {
  await em.execute(
    `update chats c set project_id = c.former_project_id, former_project_id = null, left_project_at = null,
        is_private = c.is_private or c.updated_at > c.left_project_at or exists (
          select from tasks k where k.chat_id = c.id and k.updated_at > c.left_project_at
        )
      where c.former_project_id = ?`,
    [id],
  );
}

/**
 * Shares the user's chat of a project with the organization, or makes it private again; `conflict` when it is in no
 * project and is to be shared, and for the chat of a sub-agent, which goes with the chat above it. Others' connections
 * to a chat that has become private end.
 */
export async function shareChat(database: Database, owner: Membership, chatId: string, shared: boolean): Promise<Chat> {
  const [changed] = await database.tenant.query<Chat & { readonly ids: readonly string[] }>(owner.orgId, {
    name: 'share-chat',
    text: SHARE,
    values: [chatId, owner.userId, !shared, owner.orgId, uuidv7()],
  });
  if (changed === undefined) {
    rejectSubChat(await getOwnChat(database, owner, chatId));
    throw new AppError('conflict', 'Only a chat of a project can be shared, and this one belongs to none');
  }
  const { ids, ...chat } = changed;
  await database.follow([{ ...(!shared && { accessTo: ids }), boards: boardOf(chat.projectId) }]);
  return chat;
}

const SHARE = `with recursive old as (
    select id, is_private from chats where id = $1 and user_id = $2 and deleted_at is null and parent_chat_id is null
      and (project_id is not null or $3::boolean) for no key update
  ),
  c as (update chats set is_private = $3 from old where chats.id = old.id returning chats.*),
  noted as (
    ${LOG_ENTRY_INSERT} select $5::uuid, $4::uuid, c.project_id, $2::uuid, null, case when $3 then 'made_private' else 'shared' end, 'chat', c.id,
      null, '{}'::jsonb
    from c join old on old.id = c.id where c.project_id is not null and old.is_private <> $3
  ),
  tree (id) as (
    select id from old union all select s.id from tree join chats s on s.parent_chat_id = tree.id
  )
  select ${CHAT}, (select array_agg(id) from tree) as ids from c ${OPEN_TURN}`;
