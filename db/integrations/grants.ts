import type { EntityManager } from '@mikro-orm/postgresql';
import { type SealedRow, type SecretBox, SecretColumn } from '../core/secret-box.ts';
import type { TenantDatabase } from '../core/database.ts';
import type { IntegrationConnection } from './connections.ts';

/** The tokens that requests with an integration are made with. */
export interface Grant {
  readonly accessToken: string;
  /** When the access token ends, in milliseconds of the epoch; undefined when the service does not say. */
  readonly expiresAt?: number | undefined;
  readonly refreshToken?: string | undefined;
  /** The user in whose name a service account works. */
  readonly subject?: string | undefined;
}

/** The integration, as it was read, that tokens belong to. */
type Granted = Pick<IntegrationConnection, 'orgId' | 'id' | 'connection' | 'granted'>;

/** Encrypts the tokens of integrations. */
export const integrationGrants = new SecretColumn('integrations', 'granted');

/** Encrypts tokens for the row of their integration. */
export function sealGrant(box: SecretBox, row: SealedRow, grant: Grant): Buffer {
  return integrationGrants.seal(box, row, JSON.stringify(grant));
}

/** Returns the decrypted tokens of an integration. Only for the activity that sends them to its service. */
export function openGrant(box: SecretBox, row: SealedRow, granted: Buffer): Grant {
  return JSON.parse(integrationGrants.open(box, row, granted)) as Grant;
}

/**
 * Claims the renewal of an integration's tokens for the caller, until it stores them or `seconds` have passed; false
 * while another one has claimed it, or once the tokens are no longer those that were read. It is a lease and not a
 * lock, because a service may take its time to answer, and no connection to the database waits for it.
 */
export async function claimRenewal(
  { tenant }: TenantDatabase,
  { orgId, id, connection, granted }: Granted,
  seconds: number,
): Promise<boolean> {
  const rows = await tenant.query<{ id: string }>(orgId, {
    name: 'claim-integration-renewal',
    text: `update integrations set renewing_until = now() + make_interval(secs => $5)
      where org_id = $1 and id = $2 and connection = $3 and granted is not distinct from $4
        and (renewing_until is null or renewing_until < now())
      returning id`,
    values: [orgId, id, connection, granted, seconds],
  });
  return rows.length > 0;
}

/** Returns the stored tokens of an integration; undefined when it was changed or deleted in the meantime. */
export async function readGranted(
  { tenant }: TenantDatabase,
  { orgId, id, connection }: Omit<Granted, 'granted'>,
): Promise<{ readonly granted: Buffer | null } | undefined> {
  const [row] = await tenant.query<{ granted: Buffer | null }>(orgId, {
    name: 'read-integration-grant',
    text: 'select granted from integrations where org_id = $1 and id = $2 and connection = $3',
    values: [orgId, id, connection],
  });
  return row;
}

/** Ends a renewal: stores the new tokens, unless the integration was changed in the meantime. */
export async function storeRenewal(
  database: TenantDatabase,
  box: SecretBox,
  integration: Granted,
  renewed: Grant,
): Promise<void> {
  const { orgId, id, connection, granted } = integration;
  const sealed = sealGrant(box, integration, renewed);
  const write = async (former: Buffer | null) => {
    const rows = await database.tenant.query<{ id: string }>(orgId, {
      name: 'store-integration-renewal',
      text: `update integrations set granted = $5, renewing_until = null
        where org_id = $1 and id = $2 and connection = $3 and granted is not distinct from $4 returning id`,
      values: [orgId, id, connection, former, sealed],
    });
    return rows.length > 0;
  };
  const read = async () => (await readGranted(database, integration))?.granted ?? null;
  if (granted === null) await write(null);
  else await integrationGrants.replace(box, integration, granted, { read, write });
}

/** Ends a renewal that has brought nothing, so that the next one may be tried at once. */
export async function giveUpRenewal(
  { tenant }: TenantDatabase,
  { orgId, id, connection }: Omit<Granted, 'granted'>,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'give-up-integration-renewal',
    text: 'update integrations set renewing_until = null where org_id = $1 and id = $2 and connection = $3',
    values: [orgId, id, connection],
  });
}

/** Ends a renewal that was refused for good: deletes the tokens, and stores why, for people and without secrets. */
export async function forgetGrant(
  { tenant }: TenantDatabase,
  { orgId, id, connection, granted }: Granted,
  error: string,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'forget-integration-grant',
    text: `update integrations
      set granted = null, signed_in_at = null, renewing_until = null, checked_at = now(), error = $5
      where org_id = $1 and id = $2 and connection = $3 and granted is not distinct from $4`,
    values: [orgId, id, connection, granted, error],
  });
}

/**
 * Stores what a person has granted, unless the integration was changed since `connection` was read; returns whether it
 * did. Requests that are under way are not judged by the former tokens any more.
 */
export async function grantTo(
  em: EntityManager,
  { orgId, id, connection }: Omit<Granted, 'granted'>,
  granted: Buffer,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `update integrations set granted = ?, signed_in_at = now(), connection = gen_random_uuid(), renewing_until = null,
        checked_at = null, error = null, account = null
      where org_id = ? and id = ? and connection = ? returning id`,
    [granted, orgId, id, connection],
  );
  return rows.length > 0;
}
