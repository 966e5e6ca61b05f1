import type { WorkBounds } from '../../domain/settings/setting-values.ts';
import type { Database } from '../core/database.ts';
import { type StepRef, withWait } from './steps/step.ts';

/**
 * Whether the turns of a user, or those that the organization's owner pays for, may be in several organizations. A
 * tenant statement sees those of others only through functions that cost as much as the rest of it, so they are called
 * for such users only.
 */
const isInSeveralOrgs = (userId: string, orgId: string) => `exists (
    select from users u where u.orgs_joined > 1 and u.id in (
      ${userId}, (select o.user_id from memberships o where o.org_id = ${orgId} and o.role = 'owner')
    )
  )`;

/**
 * Whether a turn waits for a work slot that a row with `user_id` and `org_id` may release: one of its organization or
 * of another one of the same owner, or of its user.
 */
export const isWorkSlotWanted = (row: string) => `(exists (
    select from turns w where w.org_id = ${row}.org_id and w.is_waiting_for_work_slot and w.status = 'running'
  ) or (${isInSeveralOrgs(`${row}.user_id`, `${row}.org_id`)} and is_work_slot_wanted(${row}.user_id, ${row}.org_id)))`;

/** The same for `turns t`. */
export const IS_WORK_SLOT_WANTED = isWorkSlotWanted('t');

/** Whether there is a free work slot for the turn of a row; a bound of 0 is none. */
export const hasFreeWorkSlot = (row: string, perUser: string, perOrg: string) => `case
    when ${isInSeveralOrgs(`${row}.user_id`, `${row}.org_id`)} then has_free_work_slot(${row}.user_id, ${row}.org_id, ${row}.seq, ${perUser}, ${perOrg})
    else (
      select (${perUser} = 0 or ${perUser} > count(*) filter (where w.user_id = ${row}.user_id))
        and (${perOrg} = 0 or ${perOrg} > count(*))
      from turns w where w.org_id = ${row}.org_id and w.is_at_work and w.status = 'running'
    ) and not exists (
      select from turns w where w.org_id = ${row}.org_id and w.user_id = ${row}.user_id and w.seq < ${row}.seq
        and w.is_waiting_for_work_slot and w.status = 'running'
    )
  end`;

/**
 * Records that a turn waits for a work slot, and is to be checked again at `until`. The wait counts neither as a try
 * nor as a wait for a provider. Returns false, with nothing stored, when another attempt has begun, or the turn was
 * asked to stop in the meantime. The caller then gives away free work slots: one may have become free at this instant.
 */
export async function storeWorkSlotWait({ tenant }: Database, ref: StepRef, until: Date): Promise<boolean> {
  const rows = await tenant.query(ref.orgId, {
    name: 'store-work-slot-wait',
    text: `update turns t set is_waiting_for_work_slot = true, waiting_until = $4, step_tries = 0,
        next_wake_at = $4::timestamptz + interval '30 seconds', wake_count = 0, trace = ${withWait('place')}
      where id = $1 and attempt = $2 and step = $3 and status = 'running' and interrupt_requested_at is null
      returning id`,
    values: [ref.turnId, ref.attempt, ref.step, until],
  });
  return rows.length > 0;
}

interface AdmittedTurn {
  readonly turnId: string;
  readonly orgId: string;
  readonly chatId: string;
  readonly isSubAgent: boolean;
}

/**
 * Gives free work slots of all organizations of an owner, and of a user in all organizations, to waiting turns: of each
 * user the one that came first, of several users the one with the fewest slots. They are woken; they also check by
 * themselves, so a lost wake costs time only. Returns which turns have one now.
 */
export async function giveWorkSlots(
  { system, follow }: Pick<Database, 'system' | 'follow'>,
  { orgId, userId }: { orgId: string; userId: string },
  { perUser, perOrg }: WorkBounds,
): Promise<string[]> {
  const { rows } = await system.query<AdmittedTurn>({
    name: 'give-work-slots',
    text: GIVE_WORK_SLOTS,
    values: [orgId, userId, perUser === 0 ? UNLIMITED : perUser, perOrg === 0 ? UNLIMITED : perOrg],
  });
  await follow([{ dueWork: rows.map(({ turnId: _turnId, ...chat }) => ({ kind: 'chat', ...chat })) }]);
  return rows.map(({ turnId }) => turnId);
}

const UNLIMITED = 1_000_000;

// Locked in one order, so that two callers do not deadlock; turns that the other one served no longer wait when the
// lock is held. A sub-agent's workflow is woken through the turn at its root.
const GIVE_WORK_SLOTS = `with waiters as (
    select distinct org_id, user_id from turns where is_waiting_for_work_slot and status = 'running' and org_id in (
      select $1 union select owned.org_id from memberships o
        join memberships owned on owned.user_id = o.user_id and owned.role = 'owner'
      where o.org_id = $1 and o.role = 'owner'
    )
    union
    select distinct org_id, user_id from turns where is_waiting_for_work_slot and status = 'running' and user_id = $2
  ),
  room as (
    select s.*, coalesce(p.user_id, s.org_id) as owner_id, $3::bigint - (
        select count(*) from turns o where o.user_id = s.user_id and o.is_at_work and o.status = 'running'
      ) as of_user, $4::bigint - (
        select count(*) from turns o where o.is_at_work and o.status = 'running' and o.org_id in (
          select s.org_id union select m.org_id from memberships m where m.user_id = p.user_id and m.role = 'owner'
        )
      ) as of_owner
    from waiters s left join memberships p on p.org_id = s.org_id and p.role = 'owner'
  ),
  queued as (
    select w.id, w.seq, r.owner_id, r.of_user, r.of_owner, row_number() over (partition by r.user_id order by w.seq) as nth
    from room r cross join lateral (
      select id, seq from turns where org_id = r.org_id and user_id = r.user_id and is_waiting_for_work_slot
        and status = 'running'
      order by seq limit greatest(least(r.of_user, r.of_owner), 0)
    ) w
  ),
  next as (
    select id, of_owner, row_number() over (partition by owner_id order by nth - of_user, seq) as nth from queued
    where nth <= of_user
  ),
  locked as (
    select t.id from turns t where t.id in (select id from next where nth <= of_owner) and t.is_waiting_for_work_slot
      and t.status = 'running'
    order by t.id for update
  ),
  given as (
    update turns t set is_at_work = true, is_waiting_for_work_slot = false,
      next_wake_at = least(t.next_wake_at, now() + interval '1 second')
    from locked where t.id = locked.id
    returning t.id, t.org_id, t.chat_id, t.parent_turn_id, t.ancestor_ids[1] as root_id
  ),
  woken as (
    update turns r set next_wake_at = least(r.next_wake_at, now() + interval '1 second') from given
    where r.id = given.root_id and r.status = 'running' and r.id not in (select id from given)
  )
  select id as "turnId", org_id as "orgId", chat_id as "chatId", parent_turn_id is not null as "isSubAgent" from given`;

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
