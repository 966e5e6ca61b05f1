import type { Consequences } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';

/** An account of an organization; accounts of another one are not touched. */
interface AccountRef {
  readonly orgId: string;
  readonly accountId: string;
}

/** Lets the account cool down until `untilMs` (milliseconds since 1970). A longer cooldown stays as it is. */
export async function coolDownAccount(
  { tenant }: Database,
  { orgId, accountId, untilMs }: AccountRef & { untilMs: number },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'cool-down-account',
    text: `update provider_accounts set cooldown_until = greatest(cooldown_until, $3)
      where id = $1 and org_id = $2 and deleted_at is null`,
    values: [accountId, orgId, new Date(untilMs)],
  });
}

/** A failed call of an account. */
interface FailedCall extends AccountRef {
  /** Why it failed, in words for the owner of the account. */
  readonly reason: string;
  /** The credentials that it was made with, as stored. */
  readonly credentials: Buffer | null;
}

/**
 * Disables an account whose credentials were rejected; the first reason stays. Does nothing when the credentials have
 * been replaced since: the rejection says nothing about the new ones.
 */
export async function disableAccount(
  { tenant }: Database,
  { orgId, accountId, reason, credentials }: FailedCall,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'disable-account',
    text: `update provider_accounts set disabled_at = now(), disabled_reason = $3
      where id = $1 and org_id = $2 and deleted_at is null and disabled_at is null
        and credentials is not distinct from $4::bytea`,
    values: [accountId, orgId, reason, credentials],
  });
}

/** In an outage every turn fails: their failures are noted once in this time. */
const NOTE_FAILURE_EVERY = '10 seconds';

/**
 * Records that the last call of an account failed, without excluding it from use. Does nothing when the credentials
 * have been replaced since, nor shortly after another failure.
 */
export async function noteFailure(
  database: Database,
  { orgId, accountId, reason, credentials }: FailedCall,
): Promise<void> {
  const noted = await database.tenant.query(orgId, {
    name: 'note-account-failure',
    text: `update provider_accounts set last_failure = $3, last_failed_at = now()
      where id = $1 and org_id = $2 and deleted_at is null and credentials is not distinct from $4::bytea
        and (last_failed_at is null or last_failed_at < now() - interval '${NOTE_FAILURE_EVERY}')
      returning id`,
    values: [accountId, orgId, reason, credentials],
  });
  if (noted.length > 0) await database.follow([changeOf({ orgId, accountId })]);
}

/** Records that a call of an account has succeeded after one that failed. */
export async function clearFailure(database: Database, { orgId, accountId }: AccountRef): Promise<void> {
  const cleared = await database.tenant.query(orgId, {
    name: 'clear-account-failure',
    text: `update provider_accounts set last_failure = null, last_failed_at = null
      where id = $1 and org_id = $2 and last_failed_at is not null
      returning id`,
    values: [accountId, orgId],
  });
  if (cleared.length > 0) await database.follow([changeOf({ orgId, accountId })]);
}

function changeOf({ orgId, accountId: id }: AccountRef): Consequences {
  return { changed: [{ orgId, resource: 'providers', id, action: 'changed' }] };
}

/** Makes an account active after a successful call: it neither cools down nor is disabled any longer. */
export async function clearAccount(database: Database, { orgId, accountId }: AccountRef): Promise<void> {
  await database.tenant.query(orgId, {
    name: 'clear-account',
    text: `update provider_accounts set cooldown_until = null, disabled_at = null, disabled_reason = null,
        last_failure = null, last_failed_at = null
      where id = $1 and org_id = $2 and deleted_at is null`,
    values: [accountId, orgId],
  });
  await database.follow([{ wakesTurnsOf: orgId }]);
}

/**
 * Records that the account is used now, to the second. Skips a locked row and does not wait for the disk: it shares the
 * stream's connections, and losing the note does no harm.
 */
export async function touchAccount({ stream }: Database, { orgId, accountId }: AccountRef): Promise<void> {
  await stream.query({
    name: 'touch-account',
    text: `update provider_accounts set last_used_at = now() where id = (
        select id from provider_accounts where id = $1 and org_id = $2
          and (last_used_at is null or last_used_at < now() - interval '1 second')
        for no key update skip locked
      )`,
    values: [accountId, orgId],
  });
}
