import type { Database } from '../../core/index.ts';
import { MESSAGE_BYTES, TURN_BYTES } from '../usage/size-of-rows.ts';

/** Chats that one call removes at most, beside those of their sub-agents. */
const BATCH = 20;

interface Retention {
  /** The days for which deleted chats can be restored; more than 0. */
  readonly days: number;
}

/** A chat that is gone. */
export interface PurgedChat {
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
