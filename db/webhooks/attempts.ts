import type { Database, TenantDatabase } from '../core/database.ts';
import type { Delivery, TargetRef, WebhookTarget } from './next-delivery.ts';
import { ADD_REPORTS, deliveriesTo, DUE_REPORTS, ofSubject, storedReport, subjectOf } from './notify-webhook.ts';

/** The result of an attempt. */
export interface Attempt {
  /** The status of the answer; null when none came. */
  readonly status: number | null;
  /** The error, in words of ours; null when it was accepted. */
  readonly error: string | null;
}

// Every statement locks the target before its deliveries, as those do that change it: otherwise two could wait for
// each other.
const LOCKED = 'target as (select id from webhook_targets where id = $1 for no key update)';

const MAX_LOGGED = 20;

/** Returns what stores the result of an attempt at the delivery `d`, in SQL: the newest ones are kept. */
const noteResult = (status: string, error: string) => `last_status = ${status}, error = ${error},
    attempt_log = case when jsonb_array_length(d.attempt_log) < ${MAX_LOGGED} then d.attempt_log else d.attempt_log - 0 end
      || jsonb_build_object('at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'status', ${status}::int, 'error', ${error}::text)`;

/** Deliveries that are made together, the first one first: one, or the reports of a digest. */
export type Batch = readonly [Delivery, ...Delivery[]];

// A delivery that was queued again in the meantime has another number of tries.
const GIVEN = 'unnest($2::uuid[], $3::int[]) as given (id, tries)';

const givenOf = (batch: Batch) => [batch.map(({ id }) => id), batch.map(({ tries }) => tries)] as const;

/**
 * Records that a target waits for `waitMs`. Returns false when something has changed in the meantime, which may have to
 * be sent at once.
 */
export async function postpone(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
  { version, waitMs }: Pick<WebhookTarget, 'version'> & Pick<Delivery, 'waitMs'>,
): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'postpone-webhook',
    text: `update webhook_targets set due_at = now() + $3 * interval '1 millisecond'
      where id = $1 and version = $2 and paused_at is null returning id`,
    values: [targetId, version, waitMs],
  });
  return rows.length > 0;
}

/** Records that nothing is left to send; returns false when something was added in the meantime. */
export async function rest(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
  { version }: Pick<WebhookTarget, 'version'>,
): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'rest-webhook',
    text: 'update webhook_targets set due_at = null where id = $1 and version = $2 returning id',
    values: [targetId, version],
  });
  return rows.length > 0;
}

/**
 * Counts an attempt that begins, for which the recovery scan gives the address two minutes. Returns false when it is
 * not to be made.
 */
export async function beginAttempt(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
  batch: Batch,
): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'begin-webhook-attempt',
    text: `with ${LOCKED},
      begun as (
        update webhook_deliveries d set attempts = d.attempts + 1, tries = d.tries + 1, last_attempt_at = now()
        from target, ${GIVEN}
        where d.target_id = target.id and d.id = given.id and d.status = 'pending' and d.tries = given.tries
        returning d.id, d.target_id
      )
      update webhook_targets w set due_at = now() + interval '2 minutes' from begun
      where w.id = begun.target_id and begun.id = $4 and w.paused_at is null returning w.id`,
    values: [targetId, ...givenOf(batch), batch[0].id],
  });
  return rows.length > 0;
}

/**
 * Records that deliveries were accepted; the error says which part was not. A message about an approval is still to be
 * updated when that was queued again in the meantime.
 */
export async function endDelivery(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
  batch: Batch,
  { status, error }: Attempt,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-webhook-delivery',
    text: `with ${LOCKED},
      ended as (
        update webhook_deliveries d set status = 'delivered', delivered_at = now(), ${noteResult('$4', '$5')}
        from target, ${GIVEN} where d.target_id = target.id and d.id = given.id
          and (not d.is_update or d.tries = given.tries + 1)
        returning d.target_id
      )
      update webhook_targets w set failures = 0 from ended where w.id = ended.target_id and w.failures > 0`,
    values: [targetId, ...givenOf(batch), status, error],
  });
}

/** Retries deliveries after `waitMs`, except those queued again in the meantime. */
export async function retryDelivery(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
  batch: Batch,
  { status, error, waitMs }: Attempt & { readonly waitMs: number },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'retry-webhook-delivery',
    text: `with ${LOCKED}
      update webhook_deliveries d set next_attempt_at = now() + $6 * interval '1 millisecond', ${noteResult('$4', '$5')}
      from target, ${GIVEN}
      where d.target_id = target.id and d.id = given.id and d.tries = given.tries + 1 and d.status = 'pending'`,
    values: [targetId, ...givenOf(batch), status, error, waitMs],
  });
}

/** How a delivery is abandoned, and what becomes of its address. */
interface GivenUp extends Attempt {
  /** The address that was tried: another one is not paused for it, and one that is paused stays as it is. */
  readonly url: string | null;
  /** How many deliveries in a row may be abandoned before the address is paused; null when it is not at fault. */
  readonly maxFailures: number | null;
  readonly pauseReason: string;
}

/**
 * Abandons deliveries, except those queued again in the meantime, and pauses their target after too many. Of reports it
 * notifies the destinations that were chosen for that, and people.
 */
export async function giveUpDelivery(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  { orgId, targetId }: TargetRef,
  batch: Batch,
  { status, error, url, maxFailures, pauseReason }: GivenUp,
): Promise<void> {
  const [notified] = await tenant.query<{ due: string[] | null; isReport: boolean }>(orgId, {
    name: 'give-up-webhook-delivery',
    text: `with ${lockedWithOthers('d.id = any($2::uuid[])')},
      failed as (
        update webhook_deliveries d set status = 'failed', dismissed_at = null, ${noteResult('$4', '$5')}
        from target, ${GIVEN}
        where d.target_id = target.id and d.id = given.id and d.tries = given.tries + 1 and d.status = 'pending'
        returning d.*
      ),
      paused as (
        update webhook_targets w set failures = failures + 1,
          paused_at = case when w.failures + 1 >= $7 then now() end,
          pause_reason = case when w.failures + 1 >= $7 then $8::text end,
          due_at = case when w.failures + 1 < $7 then w.due_at end
        from failed
        where w.id = failed.target_id and w.url is not distinct from $6 and w.paused_at is null and $7::int is not null
      ),
      ${reportUndelivered('failed', '$5::text')}
      select ${DUE_REPORTS} as due, report is not null as "isReport"
      from failed`,
    values: [targetId, ...givenOf(batch), status, error, url, maxFailures, pauseReason],
  });
  if (notified?.isReport !== true) return;
  // Which run it was of is not worth another statement: those that are shown are read again.
  const changed = (['workflow_runs', 'schedule_runs'] as const).map(
    (resource) => ({ orgId, resource, id: null, action: 'changed' }) as const,
  );
  await follow([{ dueWork: deliveriesTo(orgId, notified.due), changed }]);
}

/** The targets `w` that are notified when the report `d` is abandoned, by `run_destinations k`. */
const SECOND_DESTINATIONS = `left join workflow_runs r on r.id = d.run_id left join schedules s on s.id = d.schedule_id
    join run_destinations k on k.send_when = 'undelivered'
      and (k.workflow_id = ${ofSubject('workflow_id', 's')} or k.schedule_id = ${ofSubject('schedule_id', 'd')}
        or k.chat_id = d.chat_id or k.task_id = d.task_id)
    join webhook_targets w on w.destination_id = k.destination_id`;

// Runs that end lock the targets of their destinations in the order of their ids, so all are locked in that order here.
const lockedWithOthers = (condition: string) => `targets as (
    select id from webhook_targets where id = any(array(
      select $1::uuid
      union all select w.id from webhook_deliveries d ${SECOND_DESTINATIONS} where ${condition} and d.report is not null
    )) order by id for no key update
  ),
  target as (select id from targets where id = $1)`;

// A report that something was not delivered has none after it.
const reportUndelivered = (source: string, error: string) => `reports as (
    select w.id, ${subjectOf('d')},
      ${storedReport({ undelivered: `json_build_object('name', p.name, 'error', ${error})`, missed: "d.report -> 'missed'" })} as report
    from ${source} d join webhook_targets t on t.id = d.target_id join destinations p on p.id = t.destination_id
      ${SECOND_DESTINATIONS}
    where d.report ->> 'undelivered' is null and w.id <> d.target_id
  ),
  ${ADD_REPORTS}`;

/**
 * Notes that a paused target has nothing to send. If failures have paused a destination, each report that waits there
 * gets the reason as its error, and the destinations that were chosen for that are notified, once. Returns false when
 * something has changed in the meantime.
 */
export async function restPaused(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  { orgId, targetId }: TargetRef,
): Promise<boolean> {
  const [rested] = await tenant.query<{ due: string[] | null; isAtRest: boolean }>(orgId, {
    name: 'rest-paused-webhook',
    text: `with ${lockedWithOthers("d.target_id = $1 and d.status = 'pending'")},
      seen as (select id, version, pause_reason from webhook_targets where id = $1),
      waiting as (
        update webhook_deliveries d set error = seen.pause_reason from target join seen using (id)
        where d.target_id = target.id and d.status = 'pending' and d.report is not null
          and seen.pause_reason is not null and d.error is distinct from seen.pause_reason
        returning d.*
      ),
      rested as (
        update webhook_targets w set due_at = null from target join seen using (id)
        where w.id = target.id and w.version = seen.version and w.paused_at is not null returning w.id
      ),
      ${reportUndelivered('waiting', 't.pause_reason')}
      select ${DUE_REPORTS} as due, exists (select from rested) or not exists (select from seen) as "isAtRest"`,
    values: [targetId],
  });
  await follow([{ dueWork: deliveriesTo(orgId, rested?.due ?? null) }]);
  return rested?.isAtRest === true;
}

/** Sends nothing more to an address, until somebody sets it again or has something delivered again. */
export async function pauseWebhook(
  { tenant }: TenantDatabase,
  { orgId, targetId }: TargetRef,
  { userId }: Pick<WebhookTarget, 'userId'>,
  reason: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'pause-webhook',
    text: `update webhook_targets set paused_at = now(), pause_reason = $3, due_at = null
      where id = $1 and user_id is not distinct from $2`,
    values: [targetId, userId, reason],
  });
}
