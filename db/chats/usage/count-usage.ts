import type { Database } from '../../core/index.ts';

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

const COUNT = `with last as (
    select counted_until from usage_count for update skip locked
  ),
  span as (
    update usage_count set counted_until = greatest(
        last.counted_until, least(now() - $1::int * interval '1 millisecond', last.counted_until + ${LONGEST_SPAN})
      )
    from last returning last.counted_until as begins, usage_count.counted_until as ends
  ),
  written as (
    select m.org_id, octet_length(m.content) + pg_column_size(m.metadata) as bytes, 0 as chats
    from span join messages m on m.created_at >= span.begins and m.created_at < span.ends
    union all
    select c.org_id, 0, 1
    from span join chats c on c.created_at >= span.begins and c.created_at < span.ends and c.parent_chat_id is null
    union all
    select t.org_id, (
        select coalesce(sum(octet_length(s.text) + coalesce(octet_length(s.raw_text), 0) + coalesce(pg_column_size(s.state), 0)), 0)
        from model_steps s where s.turn_id = t.id
      ) + (
        select coalesce(sum(pg_column_size(k.arguments) + coalesce(octet_length(k.result), 0)), 0)
        from tool_calls k where k.turn_id = t.id
      ), 0
    from span join turns t on t.ended_at >= span.begins and t.ended_at < span.ends
  )
  insert into org_usage as known (org_id, message_bytes, chats, chats_made)
  select o.id, sum(w.bytes), sum(w.chats), sum(w.chats) from written w join orgs o on o.id = w.org_id group by o.id
  on conflict (org_id) do update set message_bytes = known.message_bytes + excluded.message_bytes,
    chats = known.chats + excluded.chats, chats_made = known.chats_made + excluded.chats_made`;
