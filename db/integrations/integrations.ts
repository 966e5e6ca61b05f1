import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../domain/core/app-error.ts';
import type { IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import type { Secrets } from '../../domain/integrations/integration-kind.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { type SealedRow, type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { retryPushes } from '../issue-pushes.ts';
import { flushUnique, lockRecord, readRecords, requireRecord } from '../records/records.ts';
import { trackRepositoriesOf } from '../repo-trees.ts';
import { Integration } from './integration.entity.ts';

/** The fields of an integration that a caller sets, apart from its secrets. */
export type IntegrationFields = Pick<
  Integration,
  'kind' | 'name' | 'baseUrl' | 'settings' | 'secretPlaces' | 'commandVariables' | 'testRequest'
>;

const NAME_TAKEN = 'An integration with this name already exists';
const THING = 'Integration';

interface IntegrationSelection extends Page {
  /** Only those of this kind. */
  readonly kind?: IntegrationKindKey | undefined;
}

/** Returns the organization's integrations, oldest first. */
export async function listIntegrations(
  database: Database,
  orgId: string,
  { kind, ...page }: IntegrationSelection,
): Promise<Listed<Integration>> {
  if (kind === undefined) return readRecords(database, orgId, Integration, { name: 'list-integrations', page });
  const ofKind = { where: 'kind = $2', values: [kind] };
  return readRecords(database, orgId, Integration, { name: 'list-integrations-of-kind', ...ofKind, page });
}

/** Returns the integration; `not_found` when there is none. */
export async function getIntegration(em: EntityManager, id: string): Promise<Integration> {
  return requireRecord(em, Integration, THING, { id });
}

/** Returns the integration, locked until the transaction has ended; `not_found` when there is none. */
export async function lockIntegration(em: EntityManager, id: string): Promise<Integration> {
  return lockRecord(em, Integration, THING, { id });
}

interface NewIntegration extends IntegrationFields {
  readonly orgId: string;
  readonly ownerId: string | null;
  readonly credentials: Secrets;
}

/** The state of an integration that nothing was requested with yet. */
const UNCHECKED = { checkedAt: null, error: null, account: null };

/** The state of an integration with which nobody has signed in. */
const UNSIGNED = { granted: null, signedInAt: null };

/**
 * Adds an integration, whose secrets are encrypted for this row; `conflict` when the organization has one of this name.
 */
export async function createIntegration(
  em: EntityManager,
  box: SecretBox,
  { credentials, ...fields }: NewIntegration,
): Promise<Integration> {
  const id = uuidv7();
  const data = {
    ...fields,
    ...UNCHECKED,
    ...UNSIGNED,
    usedAt: null,
    id,
    credentials: sealSecrets(box, { orgId: fields.orgId, id }, credentials),
    credentialFields: Object.keys(credentials),
    connection: randomUUID(),
  };
  const integration = em.create(Integration, data as RequiredEntityData<Integration>, { persist: true });
  await flushUnique(em, NAME_TAKEN);
  return integration;
}

/** The changes of an integration. Its secrets are replaced as a whole. */
export type IntegrationChanges = Partial<Omit<IntegrationFields, 'kind'>> & { readonly credentials?: Secrets };

/**
 * Changes the given fields of a locked integration only; `conflict` when another one has the name. Results for former
 * credentials, or for a former address, are forgotten; refused changes are sent again, and the repositories that are
 * reached with it are read again.
 */
export async function updateIntegration(
  em: EntityManager,
  box: SecretBox,
  integration: Integration,
  { credentials, ...changes }: IntegrationChanges,
): Promise<Integration> {
  const { baseUrl, testRequest, settings } = integration;
  em.assign(integration, changes, { mergeObjectProperties: false });
  if (credentials !== undefined) {
    integration.credentials = sealSecrets(box, integration, credentials);
    integration.credentialFields = Object.keys(credentials);
    em.assign(integration, UNSIGNED);
  }
  const isSame = isDeepStrictEqual(
    [baseUrl, testRequest, settings],
    [integration.baseUrl, integration.testRequest, integration.settings],
  );
  const isReconnected = !isSame || credentials !== undefined;
  if (isReconnected) em.assign(integration, { ...UNCHECKED, connection: randomUUID() });
  await flushUnique(em, NAME_TAKEN);
  if (isReconnected) {
    await retryPushes(em, { integrationId: integration.id });
    await trackRepositoriesOf(em, integration.id);
  }
  return integration;
}

/** Deletes an integration permanently, its secrets included. Tools that name it cannot be used from then on. */
export async function deleteIntegration(em: EntityManager, id: string): Promise<void> {
  await trackRepositoriesOf(em, id);
  const deleted = await em.nativeDelete(Integration, { id });
  if (deleted === 0) throw notFound(THING);
}

/** Encrypts the secrets of integrations. */
export const integrationSecrets = new SecretColumn('integrations');

/** Returns the decrypted secrets of an integration. Only for the activity that sends them to its service. */
export function openSecrets(box: SecretBox, row: SealedRow & { readonly credentials: Buffer }): Secrets {
  return JSON.parse(integrationSecrets.open(box, row, row.credentials)) as Secrets;
}

/** Encrypts the secrets of an integration for its row. */
function sealSecrets(box: SecretBox, row: SealedRow, secrets: Secrets): Buffer {
  return integrationSecrets.seal(box, row, JSON.stringify(secrets));
}
