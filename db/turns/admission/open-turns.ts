import { isInSeveralOrgs } from './places.ts';

/** Limits on the open turns of a user, across all chats and organizations, and of an organization. */
export const MAX_OPEN_TURNS_OF_USER = 1_000;
export const MAX_OPEN_TURNS_OF_ORG = 5_000;

/**
 * Whether a turn is open that a user began. Concurrent messages do not see each other and may exceed a bound together.
 */
export const OPEN = "status in ('queued', 'running') and parent_turn_id is null";

/** Open turns of a user and of their organization, counted up to a limit: `ofUser`, `ofOrg`. */
export const openTurns = (userId: string, orgId: string) => `(
    select case when ${isInSeveralOrgs(userId)} then open_turns_of(${userId}, ${MAX_OPEN_TURNS_OF_USER})
        else count(*) filter (where user_id = ${userId}) end as "ofUser", count(*) as "ofOrg"
    from (select user_id from turns where org_id = ${orgId} and ${OPEN} limit ${MAX_OPEN_TURNS_OF_ORG}) open
  )`;

/** Whether a user, and their organization, may have one more open turn. */
export const mayOpenTurn = (userId: string, orgId: string) => `exists (
    select from ${openTurns(userId, orgId)} open
    where "ofUser" < ${MAX_OPEN_TURNS_OF_USER} and "ofOrg" < ${MAX_OPEN_TURNS_OF_ORG}
  )`;
