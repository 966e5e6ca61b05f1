import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../domain/core/app-error.ts';
import { afterCommit, type Database, type Listed, type Page, type TenantDatabase } from '../core/index.ts';
import { flushUnique, lockRecord, readRecords, requireRecord } from '../records/index.ts';
import { matchingTags } from './for-turn.ts';
import { ModelProfile } from './model-profile.entity.ts';

/** The fields of a profile that a caller sets. */
export type ModelProfileFields = Pick<
  ModelProfile,
  'name' | 'description' | 'providerType' | 'modelName' | 'providerChainId' | 'tags' | 'priority'
>;

const NAME_TAKEN = 'A model profile with this name already exists';
const THING = 'Model profile';

/** Returns the organization's profiles, oldest first. */
export async function listModelProfiles(database: Database, orgId: string, page: Page): Promise<Listed<ModelProfile>> {
  return readRecords(database, orgId, ModelProfile, { name: 'list-model-profiles', page });
}

/** Returns the profile; `not_found` when there is none. */
export async function getModelProfile(em: EntityManager, id: string): Promise<ModelProfile> {
  return requireRecord(em, ModelProfile, THING, { id });
}

/** Returns whether there is a profile of this name, in whatever letters; it stays until the transaction has ended. */
export async function hasModelProfile(em: EntityManager, name: string): Promise<boolean> {
  const found = await em.execute<object[]>('select id from model_profiles where lower(name) = lower(?) for share', [
    name,
  ]);
  return found.length > 0;
}

/**
 * Returns the profile with most of the tags, then of the highest priority, then the oldest; `not_found` when none has
 * one.
 */
export async function resolveModelProfile(em: EntityManager, tags: readonly string[]): Promise<ModelProfile> {
  const [found] = await em.execute<{ id: string }[]>(
    `select f.id from model_profiles f cross join lateral ${matchingTags('f.tags', 'array(select jsonb_array_elements_text(?::jsonb))')} matching
      where matching.count > 0 order by matching.count desc, f.priority desc, f.id limit 1`,
    [JSON.stringify(inLowerCase(tags))],
  );
  if (found === undefined) throw notFound(THING);
  return getModelProfile(em, found.id);
}

/** Returns the tags by which profiles of the organization can be found, in lower case. */
export async function listModelTags({ tenant }: TenantDatabase, orgId: string): Promise<string[]> {
  const rows = await tenant.query<{ tag: string }>(orgId, {
    name: 'list-model-tags',
    text: `select distinct lower(tag) as tag from model_profiles, jsonb_array_elements_text(tags) tag
      where org_id = $1 order by tag limit 200`,
    values: [orgId],
  });
  return rows.map(({ tag }) => tag);
}

/** Returns tags as they are compared. */
export function inLowerCase(tags: readonly string[]): string[] {
  return tags.map((tag) => tag.toLowerCase());
}

interface NewModelProfile extends ModelProfileFields {
  readonly orgId: string;
  /** The creator. */
  readonly ownerId: string;
}

/** Adds a profile; `conflict` when the organization has one of this name. */
export async function createModelProfile(em: EntityManager, fields: NewModelProfile): Promise<ModelProfile> {
  const profile = em.create(ModelProfile, { ...fields, id: uuidv7() } as RequiredEntityData<ModelProfile>, {
    persist: true,
  });
  await flushUnique(em, NAME_TAKEN);
  afterCommit(em, { wakesTurnsOf: fields.orgId });
  return profile;
}

/** Returns the profile, locked until the transaction has ended; `not_found` when there is none. */
export async function lockModelProfile(em: EntityManager, id: string): Promise<ModelProfile> {
  return lockRecord(em, ModelProfile, THING, { id });
}

/** Changes the given fields of a locked profile only; `conflict` when another one has the name. */
export async function updateModelProfile(
  em: EntityManager,
  profile: ModelProfile,
  changes: Partial<ModelProfileFields>,
): Promise<ModelProfile> {
  const changed = em.assign(profile, changes, { mergeObjectProperties: false });
  await flushUnique(em, NAME_TAKEN);
  afterCommit(em, { wakesTurnsOf: profile.orgId });
  return changed;
}

/** Deletes a profile permanently. Turns of agents that name it would fail from then on. */
export async function deleteModelProfile(em: EntityManager, { id, orgId }: ModelProfile): Promise<void> {
  await em.nativeDelete(ModelProfile, { id });
  afterCommit(em, { wakesTurnsOf: orgId });
}
