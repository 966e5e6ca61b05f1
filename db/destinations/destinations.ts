import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { DestinationKind } from '../../domain/destinations.ts';
import { setsAny } from '../../domain/resources.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import type { SecretBox } from '../core/secret-box.ts';
import { flushUnique, lockRecord, readRecords, requireRecord } from '../records/records.ts';
import { addDestinationTarget, changeDestinationTarget, pauseDestination } from '../webhooks/destination-targets.ts';
import { Destination } from './destination.entity.ts';

/** The fields of a destination that a caller sets; the secret signs requests to one of the kind `webhook`. */
export interface DestinationFields extends Pick<
  Destination,
  'name' | 'kind' | 'integrationId' | 'config' | 'quietHours' | 'digestMinutes'
> {
  readonly isActive: boolean;
  readonly secret?: string | null | undefined;
}

const THING = 'Destination';
const NAME_TAKEN = 'A destination with this name already exists';

/** Returns the organization's destinations, oldest first. */
export async function listDestinations(database: Database, orgId: string, page: Page): Promise<Listed<Destination>> {
  return readRecords(database, orgId, Destination, { name: 'list-destinations', page });
}

/** Returns the kinds of which the organization has destinations. */
export async function listDestinationKinds(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
): Promise<ReadonlySet<DestinationKind>> {
  const rows = await tenant.query<Pick<Destination, 'kind'>>(orgId, {
    name: 'list-destination-kinds',
    text: 'select distinct kind from destinations where org_id = $1',
    values: [orgId],
  });
  return new Set(rows.map(({ kind }) => kind));
}

/** Returns the destination; `not_found` when there is none. */
export async function getDestination(em: EntityManager, id: string): Promise<Destination> {
  return requireRecord(em, Destination, THING, { id });
}

/** Returns the destination, locked until the transaction has ended; `not_found` when there is none. */
export async function lockDestination(em: EntityManager, id: string): Promise<Destination> {
  return lockRecord(em, Destination, THING, { id });
}

interface NewDestination extends DestinationFields {
  readonly orgId: string;
  readonly ownerId: string;
}

/** Adds a destination; `conflict` when the organization has one of this name. */
export async function createDestination(
  em: EntityManager,
  box: SecretBox,
  { secret, isActive, ...fields }: NewDestination,
): Promise<Destination> {
  const { orgId, ownerId: userId } = fields;
  const data = { ...fields, id: uuidv7(), checkedAt: null, error: null };
  const destination = em.create(Destination, data as RequiredEntityData<Destination>, { persist: true });
  await flushUnique(em, NAME_TAKEN);
  const owner = { orgId, kind: 'destination', id: destination.id } as const;
  await addDestinationTarget(em, box, owner, { url: fields.config.url ?? null, secret, userId });
  if (!isActive) await pauseDestination(em, owner);
  return destination;
}

/** The changes of a destination, whose configuration is replaced as a whole. */
export type DestinationChanges = Partial<Omit<DestinationFields, 'kind'>>;

/**
 * Changes the given fields of a locked destination only; `conflict` when another one has the name. One that failures
 * have paused resumes with another configuration or at other times, and what waits gets its full time again.
 */
export async function updateDestination(
  em: EntityManager,
  box: SecretBox,
  { destination, userId }: { readonly destination: Destination; readonly userId: string },
  { secret, isActive, ...changes }: DestinationChanges,
): Promise<Destination> {
  em.assign(destination, changes, { mergeObjectProperties: false });
  const { orgId, id, config } = destination;
  const isRedirected = changes.config !== undefined || changes.integrationId !== undefined;
  if (isRedirected) em.assign(destination, { checkedAt: null, error: null });
  await flushUnique(em, NAME_TAKEN);
  const owner = { orgId, kind: 'destination', id } as const;
  const hasOtherTimes = changes.quietHours !== undefined || changes.digestMinutes !== undefined;
  if (isRedirected || hasOtherTimes || secret !== undefined || isActive === true)
    await changeDestinationTarget(em, box, owner, { url: config.url, secret, userId, resumes: isActive === true });
  if (isActive === false) await pauseDestination(em, owner);
  // The state and the secret are columns of its target, whose changes do not touch this row.
  if (setsAny({ secret, isActive })) destination.updatedAt = new Date();
  return destination;
}

/** Deletes a destination permanently, with what waits to be delivered to it. */
export async function deleteDestination(em: EntityManager, id: string): Promise<void> {
  await em.nativeDelete(Destination, { id });
}

/** Stores the result of a test message, unless the destination was changed in the meantime. */
export async function noteDestinationTest(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, id, updatedAt }: Pick<Destination, 'orgId' | 'id' | 'updatedAt'>,
  error: string | null,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-destination-test',
    text: 'update destinations set checked_at = now(), error = $3 where id = $1 and updated_at = $2',
    values: [id, updatedAt, error],
  });
}
