import type { Database } from '../../core/index.ts';
import { MESSAGE_BYTES, TURN_BYTES } from './size-of-rows.ts';

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
// their bytes, since one look at the database sees both or neither.
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
