import { dueRuns } from '../../../domain/core/due-work.ts';
import { AppError, notFound } from '../../../domain/core/app-error.ts';
import { type Membership, orgLimitReached } from '../../../domain/orgs/index.ts';
import type { Database, Transaction } from '../../core/index.ts';
import { boardOf, type Chat, CHAT, OPEN_TURN, rejectSubChat, theChat } from '../chat.ts';
import { heldByOwner } from '../../orgs/index.ts';
import { recountChats } from '../usage/chat-limit.ts';
import { getOwnChat } from '../read-chat.ts';

/** Checks that the user's chat may be deleted; `conflict` when it is a sub-agent's. */
export async function requireDeletableChat(database: Database, owner: Membership, chatId: string): Promise<void> {
  rejectSubChat(await getOwnChat(database, owner, chatId));
}

/**
 * Deletes the user's chat softly, and the chats of sub-agents below it. A run of a workflow that waits in it ends.
 */
export async function deleteChat(database: Database, owner: Membership, chatId: string): Promise<void> {
  const rows = await database.tenant.query<{ id: string; projectId: string | null; runId: string | null }>(
    owner.orgId,
    {
      name: 'delete-chat',
      text: `with recursive tree (id) as (
        select id from chats where id = $1 and user_id = $2 and deleted_at is null and parent_chat_id is null
        union all select c.id from tree join chats c on c.parent_chat_id = tree.id
      ),
      stopped as (
        update workflow_runs set version = version + 1, updated_at = now()
        where chat_id = (select id from chats where id = $1 and user_id = $2) and completed_at is null returning id
      )
      update chats set deleted_at = now(), updated_at = now() from tree
      where chats.id = tree.id and chats.deleted_at is null
      returning chats.id, chats.project_id as "projectId", (select id from stopped) as "runId"`,
      values: [chatId, owner.userId],
    },
  );
  if (rows.length === 0) throw notFound('Chat');
  const boards = rows.flatMap(({ projectId }) => boardOf(projectId));
  const runs = rows.slice(0, 1).flatMap(({ runId }) => (runId === null ? [] : [{ orgId: owner.orgId, runId }]));
  const accessTo = rows.map(({ id }) => id);
  await database.follow([{ accessOf: [owner.userId], accessTo, boards, dueWork: dueRuns(runs) }]);
}

interface Restored extends Chat {
  readonly wasDeleted: boolean;
  readonly hasRoom: boolean;
}

/**
 * Restores the user's deleted chat, and the chats below it; `conflict` when it is not deleted or a sub-agent's, and
 * when the owner has reached the limit of live chats.
 */
export async function restoreChat(
  database: Database,
  owner: Membership,
  { chatId, maxChats }: { readonly chatId: string; readonly maxChats: number },
): Promise<Chat> {
  let restored = await undelete(database, owner, chatId, maxChats);
  if (restored.wasDeleted && !restored.hasRoom) {
    await recountChats(database, owner.orgId);
    restored = await undelete(database, owner, chatId, maxChats);
  }
  const { wasDeleted, hasRoom, ...chat } = restored;
  rejectSubChat(chat);
  if (!wasDeleted) throw new AppError('conflict', 'Chat is not deleted');
  if (!hasRoom) throw orgLimitReached('chats', { chats: maxChats });
  await database.follow([{ boards: boardOf(chat.projectId) }]);
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
        select id, deleted_at, parent_chat_id is null and ${heldByOwner('$3', 'chats')} < $4::bigint as has_room
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

/** Deletes a batch of an organization's chats, with their turns, messages and usage; returns how many. */
export async function deleteChatsOf(system: Transaction, orgId: string, limit: number): Promise<number> {
  const { rowCount } = await system.query(
    `with gone as (select id from chats where org_id = $1 limit $2),
      spent as (delete from token_usage where chat_id in (select id from gone)),
      totals as (delete from usage_totals where chat_id in (select id from gone))
      delete from chats where id in (select id from gone)`,
    [orgId, limit],
  );
  return rowCount ?? 0;
}
