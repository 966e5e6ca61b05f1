import { createHash } from 'node:crypto';
import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { inKeyOrder } from '../../domain/core/objects.ts';
import type { DefinitionContent, DefinitionKind } from '../../domain/definitions/definition.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { requireRoom } from '../orgs/require-room.ts';
import { flushUnique } from '../records/records.ts';
import { definitionNotFound } from './definitions.ts';
import { DefinitionRecord } from './definition.entity.ts';
import { replaceFiles } from './files.ts';

/** The fields of a record that a caller sets. */
type DefinitionFields = Pick<DefinitionRecord, 'key' | 'name' | 'description' | 'category' | 'version' | 'persona'>;

/** Names a definition of an organization. */
interface DefinitionRef {
  readonly kind: DefinitionKind;
  readonly id: string;
}

/** Returns the record, locked until the transaction has ended; `not_found` when there is none. */
export async function lockDefinition(em: EntityManager, { kind, id }: DefinitionRef): Promise<DefinitionRecord> {
  const record = await em.findOne(DefinitionRecord, { kind, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (record === null) throw definitionNotFound(kind);
  return record;
}

/** How a new definition is made. */
interface NewDefinition {
  readonly orgId: string;
  readonly ownerId: string | null;
  readonly kind: DefinitionKind;
  readonly limits: OrgLimits;
  /** The marketplace item that it is installed from. */
  readonly slug?: string;
  /** A new one unless given. */
  readonly id?: string;
}

/**
 * Adds a definition with its files; `conflict` when the organization has one of its kind and key, or as many as it may
 * have.
 */
export async function insertDefinition(
  em: EntityManager,
  { orgId, ownerId, kind, limits, slug, id }: NewDefinition,
  { files, ...fields }: DefinitionContent,
): Promise<DefinitionRecord> {
  await requireRoom(em, orgId, 'definitions', limits);
  const record = em.create(
    DefinitionRecord,
    {
      ...fields,
      ...(id !== undefined && { id }),
      orgId,
      ownerId,
      kind,
      origin: slug === undefined ? 'custom' : 'marketplace',
      slug: slug ?? null,
      installedDigest: slug === undefined ? null : digestOf({ ...fields, files }),
    } as RequiredEntityData<DefinitionRecord>,
    { persist: true },
  );
  await storeOrClash(em, record);
  await replaceFiles(em, record, files, limits);
  return record;
}

/** Changes the given fields only; `conflict` when the organization has another of the new key. */
export async function assignDefinition(
  em: EntityManager,
  record: DefinitionRecord,
  changes: Partial<DefinitionFields>,
): Promise<DefinitionRecord> {
  const changed = em.assign(record, changes, { mergeObjectProperties: false });
  await storeOrClash(em, changed);
  return changed;
}

/** Replaces the content of a record, all of its files included. The key stays. */
export async function replaceContent(
  em: EntityManager,
  record: DefinitionRecord,
  { files, key: _key, ...fields }: DefinitionContent,
  limits: OrgLimits,
): Promise<DefinitionRecord> {
  em.assign(record, fields, { mergeObjectProperties: false });
  await em.flush();
  await replaceFiles(em, record, files, limits);
  return record;
}

/** Returns the organization's own record of a key, locked until the transaction has ended; null when it has none. */
export async function findDefinition(
  em: EntityManager,
  { kind, key }: { readonly kind: DefinitionKind; readonly key: string },
): Promise<DefinitionRecord | null> {
  return em.findOne(DefinitionRecord, { kind, key }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Records what a record was installed from, even when it keeps its edits. */
export function keepInstalled(record: DefinitionRecord, newer: DefinitionContent): void {
  record.installedDigest = digestOf(newer);
}

/** Deletes a definition with its files. */
export async function removeDefinition(em: EntityManager, { kind, id }: DefinitionRef): Promise<void> {
  if ((await em.nativeDelete(DefinitionRecord, { kind, id })) === 0) throw definitionNotFound(kind);
}

async function storeOrClash(em: EntityManager, { kind, key }: DefinitionRecord): Promise<void> {
  await flushUnique(em, `The organization has a ${kind} with the key "${key}" already`);
}

/** Returns a digest that two definitions share when their content is equal. */
export function digestOf({ key, name, description, category, version, persona, files }: DefinitionContent): string {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const content = [key, name, description, category, version, inKeyOrder(persona), sorted];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
