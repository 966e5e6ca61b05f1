import type { EntityManager } from '@mikro-orm/postgresql';
import { DELETED_FACTOR } from '../../domain/orgs.ts';
import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { totalOfOwner } from '../orgs/require-room.ts';

/** The condition on which an organization may have one more chat. */
export const hasRoomForChat = (orgId: string, maxChats: string) =>
  `(select ${totalOfOwner('room.org_id', 'chats')} < room.most
      and ${totalOfOwner('room.org_id', 'chats_made')} < ${DELETED_FACTOR}::numeric * room.most
    from (select ${orgId}::uuid as org_id, ${maxChats}::bigint as most) room)`;

/** Recounts the live chats of the owner's organizations: the known number may be older than some deletions. */
export async function recountChats({ tenant }: Database, orgId: string): Promise<void> {
  await tenant.query(orgId, { name: 'recount-chats', text: recount('$1'), values: [orgId] });
}

/** Does so in a transaction. */
export async function recountChatsIn(em: EntityManager, orgId: string): Promise<void> {
  await em.execute(recount('?'), [orgId]);
}

const recount = (orgId: string) => `select recount_chats_of_owner(${orgId})`;

/** The condition on which an organization may store further messages; a limit of null is none. */
export const hasRoomForMessages = (orgId: string, maxBytes: string) =>
  `(${totalOfOwner(orgId, 'message_bytes')} >= ${maxBytes}::bigint) is not true`;

/** The bytes of a row of `messages m`, in SQL. */
export const MESSAGE_BYTES = 'octet_length(m.content) + pg_column_size(m.metadata)';

/** The bytes of the steps, the calls and the traces of `turns t`, in SQL. */
export const TURN_BYTES = `pg_column_size(t.trace) + (
    select coalesce(sum(octet_length(s.text) + coalesce(octet_length(s.raw_text), 0) + coalesce(pg_column_size(s.state), 0)
      + pg_column_size(s.trace)), 0)
    from model_steps s where s.turn_id = t.id
  ) + (
    select coalesce(sum(pg_column_size(k.arguments) + coalesce(octet_length(k.result), 0)), 0)
    from tool_calls k where k.turn_id = t.id
  )`;

interface CountOptions {
  /** Rows younger than this are left for the next run: their transactions may still be open. */
  readonly settleMs?: number;
}

const SETTLE_MS = 5_000;
/** The longest span that one statement counts, so that a backlog never exceeds what its time limit allows. */
const LONGEST_SPAN = "interval '10 minutes'";

/**
 * Adds new rows to the totals of each organization: messages and chats when they are created, steps and calls when
 * their turn ends. Writers therefore update no total, and nobody waits for a shared row. Any number of workers may call
 * this; one at a time does the work.
 */
export async function countUsage({ system }: Database, { settleMs = SETTLE_MS }: CountOptions = {}): Promise<void> {
  await system.query({ name: 'count-usage', text: COUNT, values: [settleMs] });
}

// A message is counted as it is then. Of one that changed before, its change is counted as well; that of others is in
// their bytes, since one read of the database sees both or neither.
const COUNT = `with last as (
    select counted_until from usage_count for update skip locked
  ),
  span as (
    update usage_count set counted_until = greatest(
        last.counted_until, least(now() - $1::int * interval '1 millisecond', last.counted_until + ${LONGEST_SPAN})
      )
    from last returning last.counted_until as begins, usage_count.counted_until as ends
  ),
  change as (delete from message_size_changes c using span returning c.*),
  written as (
    select m.org_id, ${MESSAGE_BYTES} as bytes, 0 as chats
    from span join messages m on m.created_at >= span.begins and m.created_at < span.ends
    union all
    select change.org_id, change.bytes, 0 from span join change on change.written_at < span.begins
    union all
    select c.org_id, 0, 1
    from span join chats c on c.created_at >= span.begins and c.created_at < span.ends and c.parent_chat_id is null
    union all
    select t.org_id, ${TURN_BYTES}, 0
    from span join turns t on t.ended_at >= span.begins and t.ended_at < span.ends
  )
  insert into org_usage as known (org_id, message_bytes, chats, chats_made)
  select o.id, sum(w.bytes), sum(w.chats), sum(w.chats) from written w join orgs o on o.id = w.org_id group by o.id order by o.id
  on conflict (org_id) do update set message_bytes = greatest(0, known.message_bytes + excluded.message_bytes),
    chats = known.chats + excluded.chats, chats_made = known.chats_made + excluded.chats_made`;

/**
 * How many bytes the organizations of an owner may replace and delete before that counts. The contents are kept for an
 * hour, and would fill the disk otherwise.
 */
const FREE_REPLACED_BYTES = 1_000_000_000;

/**
 * Notes the size of a chat's files in bytes, and returns the total of all organizations of the owner, with what they
 * have replaced within an hour beyond 1 GB.
 */
export async function noteWorkspace(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, chatId }: { orgId: string; chatId: string },
  bytes: number,
): Promise<number> {
  const [, [sum]] = await tenant.series(orgId, [noteBytes(chatId, bytes), sumOf(orgId)]);
  return sum?.bytes ?? 0;
}

function noteBytes(chatId: string, bytes: number): Statement {
  return {
    name: 'note-workspace',
    text: `insert into workspace_usage as known (chat_id, org_id, bytes) select id, org_id, $2 from chats where id = $1
      on conflict (chat_id) do update set bytes = excluded.bytes where known.bytes <> excluded.bytes`,
    values: [chatId, bytes],
  };
}

function sumOf(orgId: string): Statement<{ readonly bytes: number }> {
  return {
    name: 'sum-workspaces',
    text: `select ${totalOfOwner('$1', 'file_bytes')}
      + greatest(${totalOfOwner('$1', 'replaced_file_bytes')} - ${FREE_REPLACED_BYTES}, 0) as bytes`,
    values: [orgId],
  };
}
