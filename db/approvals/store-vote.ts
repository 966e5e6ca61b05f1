// Approvals of those who may not decide any more count no longer.
const COUNTED = `(select coalesce(jsonb_agg(v.vote order by v.n), '[]')
    from jsonb_array_elements(p.votes) with ordinality v (vote, n) where v.vote ->> 'userId' <> all($5::text[]))`;

const IS_DECIDED = `($2 <> 'approved' or jsonb_array_length(${COUNTED}) + 1 >= p.quorum)`;

/**
 * Assigns a vote to `approvals p`, in SQL: `$2` is the status that they want, `$3` who they are, `$4` their note, and
 * `$5` whose earlier approvals count no longer. It is decided unless more people have to approve it. Goes with
 * `IS_NEW_VOTE`.
 */
export const VOTE = `status = case when ${IS_DECIDED} then $2 else p.status end,
    decided_by = case when ${IS_DECIDED} then $3::uuid end, decided_at = case when ${IS_DECIDED} then now() end,
    note = case when ${IS_DECIDED} then $4 end, parameters = case when not ${IS_DECIDED} then p.parameters end,
    votes = case when p.default_answer is not null then p.votes else ${COUNTED} || jsonb_build_object(
      'userId', $3::uuid, 'approve', $2 = 'approved', 'note', $4, 'votedAt', now()) end`;

/** Whether somebody may still say this of `approvals p`, which waits: nobody approves twice. */
export const IS_NEW_VOTE = `p.status = 'pending' and p.expires_at > now()
  and not ($2 = 'approved' and p.votes @> jsonb_build_array(jsonb_build_object('userId', $3::uuid)))`;
