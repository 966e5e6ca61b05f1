/**
 * Returns an SQL expression: for how long some of `approvals p` were, or are, waited for. Waits that overlap do not
 * count twice.
 */
export const waitedFor = (source: string) => `coalesce((
    select sum(upper(wait.span) - lower(wait.span)) from unnest((
      select range_agg(tstzrange(p.requested_at, greatest(p.requested_at, coalesce(p.decided_at, now()))))
      from ${source}
    )) as wait (span)
  ), interval '0')`;

const OF_TURN = `approvals p join turns w on w.id = p.turn_id
      where p.root_turn_id = t.ancestor_ids[1] and (w.id = t.id or t.id = any(w.ancestor_ids))`;

/**
 * When the time of `turns t` is up; null for the agent of a chat, which has no limit. Time in which calls of it, or of
 * a sub-agent below it, wait for a decision does not count.
 */
export const DEADLINE = `(case when t.deadline_at is not null then t.deadline_at + ${waitedFor(OF_TURN)} end)`;
