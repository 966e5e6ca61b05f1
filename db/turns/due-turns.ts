import type { Database } from '../core/database.ts';
import { retrySerializationFailures } from '../core/unavailable.ts';
import { AFTER_SEQ, ANCESTORS } from './ancestors.ts';
import { ANNOUNCE_DUE } from './ready-turn.ts';

/** A chat whose open turn should have continued by now. */
export interface DueTurn {
  readonly orgId: string;
  readonly chatId: string;
  readonly turnId: string;
}

/** The result of one read of the due turns. */
interface TakenTurns {
  /** Those that the caller is to wake. */
  readonly taken: readonly DueTurn[];
  /** Whether others are due, or will be within seconds, perhaps unknown to their conversations. */
  readonly isMoreDueSoon: boolean;
}

const IS_OPEN_ROOT = `status in ('queued', 'running') and parent_turn_id is null`;

/**
 * Claims open turns that are due to be woken and that no process holds a lease on, oldest first, at most `limit`. They
 * are due again after a delay that doubles up to ten minutes, or up to six hours while calls wait for a decision, which
 * may take weeks. Concurrent callers claim different turns. Sub-agents are woken by the turn above them.
 */
export async function takeDueTurns({ system }: Database, limit: number): Promise<TakenTurns> {
  const { rows } = await system.query<TakenTurns>({ name: 'take-due-turns', text: TAKE_DUE, values: [limit] });
  return rows[0] ?? { taken: [], isMoreDueSoon: false };
}

// Soon is longer than the lease of a turn that no workflow follows, which is due when that has run out, and than the
// first delay: a process that has claimed a turn may die before it has woken the conversation.
const TAKE_DUE = `with due as (
    select id from turns where ${IS_OPEN_ROOT} and next_wake_at <= now() and (lease_until is null or lease_until <= now())
    order by next_wake_at limit $1 for update skip locked
  ),
  taken as (
    update turns set wake_count = wake_count + 1,
      next_wake_at = now() + least(interval '10 seconds' * power(2, least(wake_count, 12)), case
        when exists (select from approvals p where p.root_turn_id = turns.id and p.status = 'pending')
        then interval '6 hours' else interval '10 minutes' end)
    from due where turns.id = due.id
    returning turns.id as "turnId", turns.org_id as "orgId", turns.chat_id as "chatId"
  )
  select (select coalesce(json_agg(to_json(taken)), '[]') from taken) as taken, exists (
      select from turns where ${IS_OPEN_ROOT} and next_wake_at <= now() + interval '12 seconds'
        and id not in (select id from due)
    ) as "isMoreDueSoon"`;

/** What one read of the turns that were asked to stop finds. */
interface StoppedTurns {
  /** The chats of those that no process runs a second later. */
  readonly unattended: readonly { readonly orgId: string; readonly chatId: string }[];
  /** Whether any was asked within the last minute and is still open. */
  readonly isAnyStopping: boolean;
}

/**
 * Finds open turns that were asked to stop, those of sub-agents too, each the oldest of its chat; those asked first, at
 * most `limit`. A sub-agent that a person has yet to approve has not begun: it stops when that is decided.
 */
export async function findStoppedTurns({ system }: Database, limit: number): Promise<StoppedTurns> {
  const { rows } = await system.query<StoppedTurns>({
    name: 'find-stopped-turns',
    text: FIND_STOPPED,
    values: [limit],
  });
  return rows[0] ?? { unattended: [], isAnyStopping: false };
}

const IS_STOPPING = `t.status in ('queued', 'running') and t.interrupt_requested_at is not null`;

const FIND_STOPPED = `with unattended as (
    select t.org_id as "orgId", t.chat_id as "chatId" from turns t
    where ${IS_STOPPING} and t.interrupt_requested_at <= now() - interval '1 second'
      and (t.lease_until is null or t.lease_until <= now()) and not exists (
        select from turns o where o.chat_id = t.chat_id and o.status in ('queued', 'running') and o.seq < t.seq
      ) and not exists (
        select from tasks k join approvals p on p.call_id = k.call_id and p.status = 'pending' where k.id = t.id
      )
    order by t.interrupt_requested_at limit $1
  )
  select (select coalesce(json_agg(to_json(unattended)), '[]') from unattended) as unattended,
    exists (
      select from turns t where ${IS_STOPPING} and t.interrupt_requested_at > now() - interval '1 minute'
    ) as "isAnyStopping"`;

/** Returns for how long the oldest turn has been due that no worker has claimed, in seconds; 0 if none. */
export async function oldestWaitSeconds({ system }: Pick<Database, 'system'>): Promise<number> {
  const { rows } = await system.query<{ seconds: number }>({
    name: 'oldest-waiting-turn',
    text: `select extract(epoch from now() - next_wake_at)::float8 as seconds from turns
      where ${IS_OPEN_ROOT} and next_wake_at <= now() and (lease_until is null or lease_until <= now())
      order by next_wake_at limit 1`,
  });
  return rows[0]?.seconds ?? 0;
}

/** Makes turns due again within seconds, after others: their conversations could not be woken. */
export async function retryWake({ system }: Database, turnIds: readonly string[]): Promise<void> {
  await system.query({
    name: 'retry-wake',
    text: `update turns set next_wake_at = now() + interval '2 seconds', wake_count = greatest(wake_count - 1, 0)
      where id = any($1::uuid[]) and status in ('queued', 'running')`,
    values: [turnIds],
  });
}

/** Makes every open turn due, because the engine may have lost its state. */
export async function makeOpenTurnsDue({ system }: Database): Promise<void> {
  await system.query("update turns set next_wake_at = now(), wake_count = 0 where status in ('queued', 'running')");
}

/**
 * Makes the turns due that wait for a provider, themselves or with a sub-agent: a provider may be back, or new. Running
 * turns may have read the providers before, so they read again when they would wait.
 */
export async function wakeWaitingTurns({ tenant }: Pick<Database, 'tenant'>, orgId: string): Promise<void> {
  // The first statement waits for turns that are about to wait: the second one finds these waiting.
  const statements = [
    { name: 'wake-turns-at-work', text: WAKE_AT_WORK, values: [orgId] },
    { name: 'wake-waiting-turns', text: WAKE_WAITING, values: [orgId] },
    ANNOUNCE_DUE,
  ];
  await retrySerializationFailures(async () => tenant.series(orgId, statements));
}

// Locked in the order in which work slots are assigned.
const WAKE_AT_WORK = `update turns t set woken_since_claim = true from (
    select id from turns where org_id = $1 and is_at_work and status = 'running' order by id for update
  ) locked where t.id = locked.id`;

const WAKE_WAITING = `update turns set next_wake_at = now() where status = 'running' and id in (
    select coalesce(t.ancestor_ids[1], t.id) from turns t
    where t.org_id = $1 and t.status = 'running' and t.waiting_until is not null
      and not exists (select from approvals p where p.turn_id = t.id and p.status = 'pending')
  )`;

/**
 * Parts of a statement that wake the turns whose calls somebody has decided about, with the turns at their roots, and
 * resume runs whose time limits were paused: `running_on` has their ids, by `root_turn_id`. `source` has rows with
 * `turn_id`, `root_turn_id`, `call_id`, `status` and `requested_at`; the turns were locked before. A sub-agent that may
 * begin now has as much time as when it was asked for.
 */
export const wakeDecided = (source: string) => `woken as (
    update turns t set woken_since_claim = true, next_wake_at = now(), wake_count = 0
    where t.id in (select turn_id from ${source} union select root_turn_id from ${source}) and t.status = 'running'
  ),
  running_on as (
    update workflow_runs r set version = r.version + 1, updated_at = now() from turns t
    where t.id in (select root_turn_id from ${source}) and r.id = t.run_id and r.completed_at is null
      and r.deadline_at is not null
    returning r.id, t.id as root_turn_id
  ),
  begun_late as (
    update turns t set deadline_at = t.deadline_at + (now() - d.requested_at)
    from ${source} d join tasks s on s.call_id = d.call_id
    where t.id = s.id and t.status = 'queued' and d.status = 'approved'
  )`;

/**
 * Whom a step of `turns t` is announced to, as `AncestorTurn`: its own chat, and those of the turns above, root first.
 */
export const RECIPIENTS_OF_TURN = `json_build_object('own', json_build_object('turnId', t.id, 'chatId', t.chat_id, 'turnSeq',
    t.seq, 'afterSeq', ${AFTER_SEQ}), 'ancestors', (${ANCESTORS})::json)`;
