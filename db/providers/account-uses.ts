import type { Database } from '../core/database.ts';
import type { SecretBox } from '../core/secret-box.ts';
import { accountSecrets, type Credentials, sealCredentials } from './provider-accounts.ts';

/** A use of an account that serves one call at a time, whichever worker makes it. */
export interface AccountUseRef {
  readonly orgId: string;
  readonly accountId: string;
  /** Made up for this use. */
  readonly holder: string;
}

/** A use that is not noted again within this time is over: its worker was killed. */
const LEASE = '30 seconds';

/** Begins or renews a use. Returns whether the account exists and nobody else uses it. */
export async function leaseAccount(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, accountId, holder }: AccountUseRef,
): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'hold-account',
    text: `insert into provider_account_uses as u (account_id, org_id, holder, until)
      select id, org_id, $3, now() + interval '${LEASE}' from provider_accounts
        where id = $2 and org_id = $1 and deleted_at is null
      on conflict (account_id) do update set holder = excluded.holder, until = excluded.until
        where u.until < now() or u.holder = excluded.holder
      returning account_id`,
    values: [orgId, accountId, holder],
  });
  return rows.length > 0;
}

/** Ends a use. */
export async function releaseAccount(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, accountId, holder }: AccountUseRef,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'release-account',
    text: 'delete from provider_account_uses where org_id = $1 and account_id = $2 and holder = $3',
    values: [orgId, accountId, holder],
  });
}

type AccountRef = Omit<AccountUseRef, 'holder'>;

/** Returns the credentials of a live account, as stored. */
export async function readStoredCredentials(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, accountId }: AccountRef,
): Promise<Buffer | null> {
  const [row] = await tenant.query<{ credentials: Buffer | null }>(orgId, {
    name: 'read-stored-credentials',
    text: 'select credentials from provider_accounts where org_id = $1 and id = $2 and deleted_at is null',
    values: [orgId, accountId],
  });
  return row?.credentials ?? null;
}

/**
 * Replaces credentials that the provider has renewed, unless somebody has signed in again in the meantime. Returns what
 * is stored then; undefined when it was not replaced.
 */
export async function replaceCredentials(
  database: Pick<Database, 'tenant'>,
  box: SecretBox,
  { orgId, accountId }: AccountRef,
  { former, credentials }: { readonly former: Buffer; readonly credentials: Credentials },
): Promise<Buffer | undefined> {
  const row = { orgId, id: accountId };
  const sealed = sealCredentials(box, row, credentials);
  if (sealed === null) return undefined;
  const isReplaced = await accountSecrets.replace(box, row, former, {
    read: async () => readStoredCredentials(database, { orgId, accountId }),
    write: async (stored) => {
      const rows = await database.tenant.query(orgId, {
        name: 'replace-credentials',
        text: `update provider_accounts set credentials = $4
          where org_id = $1 and id = $2 and credentials = $3 returning id`,
        values: [orgId, accountId, stored, sealed],
      });
      return rows.length > 0;
    },
  });
  return isReplaced ? sealed : undefined;
}
