import { AppError, notFound } from '../../domain/core/app-error.ts';
import { dueRuns } from '../../domain/core/due-work.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs.ts';
import type { Database } from '../core/database.ts';
import type { Transaction } from '../core/transactions.ts';
import { totalOfOwner } from '../orgs/require-room.ts';
import { boardOf, type Chat, CHAT, getOwnChat, OPEN_TURN, rejectSubChat, theChat } from './chat.ts';
import { MESSAGE_BYTES, recountChats, TURN_BYTES } from './usage.ts';

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
        select id, deleted_at, parent_chat_id is null and ${totalOfOwner('$3', 'chats')} < $4::bigint as has_room
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

/**
 * Marks the chats of a deleted user that nobody else could read as deleted long ago: the next housekeeping removes
 * them. Returns how many there are, without those of sub-agents.
 */
export async function expirePrivateChats(system: Transaction, userId: string): Promise<number> {
  const { rowCount } = await system.query(
    `update chats set deleted_at = now() - interval '20 years'
      where user_id = $1 and parent_chat_id is null and (project_id is null or is_private)`,
    [userId],
  );
  return rowCount ?? 0;
}

/** Removes a chat of the user that was started for a message which was then refused; one that has a message stays. */
export async function dropChat({ tenant }: Database, { orgId, userId }: Membership, chatId: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'drop-chat',
    text: `delete from chats c where c.id = $1 and c.user_id = $2
      and not exists (select from messages m where m.chat_id = c.id and m.client_message_id is not null)`,
    values: [chatId, userId],
  });
}

/** Chats that one call removes at most, beside those of their sub-agents. */
const BATCH = 20;

interface Retention {
  /** The days for which deleted chats can be restored; more than 0. */
  readonly days: number;
}

/** A chat that is gone. */
interface PurgedChat {
  readonly orgId: string;
  readonly chatId: string;
}

/**
 * Removes chats that were deleted so many days ago, the longest deleted first, with their sub-agents' chats and all
 * that belongs to them; what was spent in them stays counted. One whose turn is open is left for later. Takes a bounded
 * number; fewer than that were there when `mayBeMore` is false.
 */
export async function purgeDeletedChats(
  { system }: Pick<Database, 'system'>,
  { days }: Retention,
): Promise<{ readonly chats: readonly PurgedChat[]; readonly mayBeMore: boolean }> {
  const { rows } = await system.query<PurgedChat & { isRoot: boolean }>({
    name: 'purge-deleted-chats',
    text: PURGE,
    values: [days],
  });
  const mayBeMore = rows.filter(({ isRoot }) => isRoot).length === BATCH;
  return { chats: rows.map(({ orgId, chatId }) => ({ orgId, chatId })), mayBeMore };
}

// Only what was counted is taken off: rows are counted a while after they were written.
const PURGE = `with recursive due as (
    select c.id, c.org_id from chats c
    where c.parent_chat_id is null
      and c.deleted_at < least(now() - $1::float8 * interval '1 day', (select counted_until from usage_count))
      and not exists (select from turns t where t.chat_id = c.id and t.status in ('queued', 'running'))
    order by c.deleted_at limit ${BATCH} for update skip locked
  ),
  tree (id, org_id, is_root) as (
    select id, org_id, true from due
    union all select c.id, c.org_id, false from tree join chats c on c.parent_chat_id = tree.id
  ),
  held as (
    select tree.org_id, tree.is_root, (
        select coalesce(sum(${MESSAGE_BYTES}), 0) from messages m where m.chat_id = tree.id
      ) + (
        select coalesce(sum(${TURN_BYTES}), 0) from turns t where t.chat_id = tree.id
      ) as bytes
    from tree
  ),
  counted as (
    update org_usage u set message_bytes = greatest(0, u.message_bytes - gone.bytes),
      chats_made = greatest(0, u.chats_made - gone.chats)
    from (
      select org_id, sum(bytes) as bytes, count(*) filter (where is_root) as chats from held group by org_id
    ) gone where u.org_id = gone.org_id
  ),
  purged as (delete from chats where id in (select id from due))
  select org_id as "orgId", id as "chatId", is_root as "isRoot" from tree`;
