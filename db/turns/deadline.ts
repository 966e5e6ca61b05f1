/**
 * When the time of `turns t` is up; null for the agent of a chat, which has no limit. Time in which calls of it, or of
 * a sub-agent below it, wait for a decision does not count; waits that overlap do not count twice.
 */
export const DEADLINE = `(case when t.deadline_at is not null then t.deadline_at + coalesce((
    select sum(upper(wait.span) - lower(wait.span)) from unnest((
      select range_agg(tstzrange(p.requested_at, greatest(p.requested_at, coalesce(p.decided_at, now()))))
      from approvals p join turns w on w.id = p.turn_id
      where p.root_turn_id = t.ancestor_ids[1] and (w.id = t.id or t.id = any(w.ancestor_ids))
    )) as wait (span)
  ), interval '0') end)`;
