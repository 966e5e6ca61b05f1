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

interface RejectedCredentials extends AccountRef {
  /** In words for its owner. */
  readonly reason: string;
  /** The rejected credentials, as stored. */
  readonly credentials: Buffer | null;
}

/**
 * Disables an account whose credentials were rejected; the first reason stays. Does nothing when the credentials have
 * been replaced since: the rejection says nothing about the new ones.
 */
export async function disableAccount(
  { tenant }: Database,
  { orgId, accountId, reason, credentials }: RejectedCredentials,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'disable-account',
    text: `update provider_accounts set disabled_at = now(), disabled_reason = $3
      where id = $1 and org_id = $2 and deleted_at is null and disabled_at is null
        and credentials is not distinct from $4::bytea`,
    values: [accountId, orgId, reason, credentials],
  });
}

/** Makes an account active after a successful call: it neither cools down nor is disabled any longer. */
export async function clearAccount(database: Database, { orgId, accountId }: AccountRef): Promise<void> {
  await database.tenant.query(orgId, {
    name: 'clear-account',
    text: `update provider_accounts set cooldown_until = null, disabled_at = null, disabled_reason = null
      where id = $1 and org_id = $2 and deleted_at is null`,
    values: [accountId, orgId],
  });
  await database.follow([{ wakesTurnsOf: orgId }]);
}

/**
 * Notes that the account is used now, to the second. Skips a locked row and does not wait for the disk: it shares the
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
