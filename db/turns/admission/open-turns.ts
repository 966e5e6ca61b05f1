import { isInSeveralOrgs } from './places.ts';

/** Limits on the open turns of a user, across all chats and organizations, and of all organizations of one owner. */
export const MAX_OPEN_TURNS_OF_USER = 1_000;
export const MAX_OPEN_TURNS_OF_ORG = 5_000;

/**
 * Whether a turn is open that a user began. Concurrent messages do not see each other and may exceed a bound together.
 */
export const OPEN = "status in ('queued', 'running') and parent_turn_id is null";

/** Open turns of a user and of all organizations of one owner, counted up to a limit: `ofUser`, `ofOrg`. */
export const openTurns = (userId: string, orgId: string) => `(
    select case when several then open_turns_of(${userId}, ${MAX_OPEN_TURNS_OF_USER}) else of_user end as "ofUser",
      case when several then open_turns_of_owner(${orgId}, ${MAX_OPEN_TURNS_OF_ORG}) else of_org end as "ofOrg"
    from (
      select count(*) filter (where user_id = ${userId}) as of_user, count(*) as of_org,
        ${isInSeveralOrgs(userId, orgId)} as several
      from (select user_id from turns where org_id = ${orgId} and ${OPEN} limit ${MAX_OPEN_TURNS_OF_ORG}) open
    ) counted
  )`;

/** Whether a user, and the owner of their organization, may have one more open turn. */
export const mayOpenTurn = (userId: string, orgId: string) => `exists (
    select from ${openTurns(userId, orgId)} open
    where "ofUser" < ${MAX_OPEN_TURNS_OF_USER} and "ofOrg" < ${MAX_OPEN_TURNS_OF_ORG}
  )`;
