import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { DueWork } from '../../domain/core/due-work.ts';
import { apiUrlOf } from '../../domain/integrations/address.ts';
import { integrationKind, type IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { type SealedRow, type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { fairBatch, OVERDUE } from '../core/sql.ts';
import { purgeRows } from '../records/records.ts';
import { type Grant, openGrant } from './grants.ts';
import type { Integration } from './integration.entity.ts';
import { openSecrets } from './integrations.ts';

/** A grant of an integration that is gone. */
interface RevocationRef {
  readonly orgId: string;
  readonly revocationId: string;
}

/** The credentials for revoking a grant. */
interface EndedGrant {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
}

/** A grant that is to be ended, and the service that ends it. */
export interface Revocation extends EndedGrant {
  readonly kind: IntegrationKindKey;
  readonly apiUrl: string;
}

/** Encrypts the grants that are to be ended. */
export const revocationSecrets = new SecretColumn('integration_revocations');

/** Stores the grant of an integration that is about to be deleted, for its service to be notified that it has ended. */
export async function keepRevocation(em: EntityManager, box: SecretBox, integration: Integration): Promise<void> {
  const ended = endedGrantOf(box, integration);
  if (ended === undefined) return;
  const { orgId, kind, baseUrl } = integration;
  const id = uuidv7();
  await em.execute('insert into integration_revocations (id, org_id, kind, base_url, sealed) values (?, ?, ?, ?, ?)', [
    id,
    orgId,
    kind,
    baseUrl,
    revocationSecrets.seal(box, { orgId, id }, JSON.stringify(ended)),
  ]);
  afterCommit(em, { dueWork: [{ kind: 'grant-revocation', orgId, revocationId: id }] });
}

/** Returns ended grants of which nobody seems to be notifying the service, of all organizations. */
export async function findOverdueRevocations({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<RevocationRef>({
    name: 'find-overdue-revocations',
    text: fairBatch(`select org_id as "orgId", id as "revocationId" from integration_revocations
      where created_at < ${OVERDUE} order by created_at`),
  });
  return rows.map((revocation) => ({ kind: 'grant-revocation', ...revocation }));
}

function endedGrantOf(box: SecretBox, integration: Integration): EndedGrant | undefined {
  const { granted, kind } = integration;
  if (granted === null || integrationKind(kind).oauth?.revocationUrl === undefined) return undefined;
  const [secrets, grant] = [
    tried(() => openSecrets(box, integration)),
    tried(() => openGrant(box, integration, granted)),
  ];
  if (secrets?.['client_id'] === undefined || grant === undefined) return undefined;
  return { clientId: secrets['client_id'], clientSecret: secrets['client_secret'] ?? '', token: tokenOf(grant) };
}

// With the refresh token ends all that was granted with it.
function tokenOf({ refreshToken, accessToken }: Grant): string {
  return refreshToken ?? accessToken;
}

// An integration can be deleted although its secrets cannot be decrypted any more.
function tried<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

interface Row {
  readonly kind: IntegrationKindKey;
  readonly baseUrl: string | null;
  readonly sealed: Buffer;
}

/** Deletes and returns a grant to revoke: it is not kept for a second try. */
export async function takeRevocation(
  { tenant }: Database,
  box: SecretBox,
  { orgId, revocationId }: RevocationRef,
): Promise<Revocation | undefined> {
  const [row] = await tenant.query<Row>(orgId, {
    name: 'take-integration-revocation',
    text: `delete from integration_revocations where org_id = $1 and id = $2
      returning kind, base_url as "baseUrl", sealed`,
    values: [orgId, revocationId],
  });
  return row && { ...opened(box, { orgId, id: revocationId }, row.sealed), kind: row.kind, apiUrl: apiUrlOf(row) };
}

function opened(box: SecretBox, row: SealedRow, sealed: Buffer): EndedGrant {
  return JSON.parse(revocationSecrets.open(box, row, sealed)) as EndedGrant;
}

/** Removes grants whose service could not be notified of their end within a day. */
export async function purgeRevocations(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'integration_revocations', "created_at < now() - interval '1 day'");
}
