import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { defineEntity, p } from '@mikro-orm/core';
import { notFound } from '../domain/core/app-error.ts';
import { afterCommit } from './core/after-commit.ts';
import type { Database, TenantDatabase } from './core/database.ts';
import type { Listed, Page } from './core/page.ts';
import { flushUnique, lockRecord, readRecords, requireRecord } from './records/records.ts';
import type { TurnChain } from './provider-chains.ts';
import { tenantFilters, tenantProperties } from './core/tenant-entity.ts';

const schema = defineEntity({
  name: 'ModelProfile',
  tableName: 'model_profiles',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Its creator; null when unknown. */
    ownerId: p.uuid().strictNullable(),
    name: p.text(),
    description: p.text(),
    providerType: p.text().strictNullable(),
    modelName: p.text().strictNullable(),
    providerChainId: p.uuid().strictNullable(),
    tags: p.json<string[]>(),
    priority: p.integer(),
  },
});

/** A named choice of a model: a provider's, or that of a provider chain. */
export class ModelProfile extends schema.class {}
schema.setClass(ModelProfile);

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
    `select f.id from model_profiles f cross join lateral ${matchingTags('array(select jsonb_array_elements_text(?::jsonb))')} matching
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

/** The model profile that a turn's agent names, or that was found for a sub-agent. */
export interface TurnProfile {
  readonly name: string;
  readonly providerType: string | null;
  readonly modelName: string | null;
  readonly chain: Pick<TurnChain, 'name' | 'steps'> | null;
}

/** Counts, as `count`, how many of the wanted tags (an SQL expression, in lower case) the profile `f` has. */
function matchingTags(wanted: string): string {
  return `(select count(distinct lower(tag)) from jsonb_array_elements_text(f.tags) tag where lower(tag) = any(${wanted}))`;
}

/**
 * The profile of chat `c` and its agent `a` as a column, null for none. The kinds of work that a sub-agent was asked
 * for come first, then the profile that the agent names. Nothing is looked up for agents that name a model, or none.
 */
export const PROFILE_OF_CHAT = `case when c.model_tags is not null or a.model_pref like 'profile:%' then (
    select jsonb_build_object('name', f.name, 'providerType', f.provider_type, 'modelName', f.model_name, 'chain', (
        select jsonb_build_object('name', h.name, 'steps', h.steps) from provider_chains h where h.id = f.provider_chain_id
      ))
    from model_profiles f cross join lateral ${matchingTags('c.model_tags')} matching
    where f.org_id = c.org_id and (matching.count > 0 or lower(f.name) = lower(trim(substr(a.model_pref, 9))))
    order by matching.count desc, f.priority desc, f.id limit 1
  ) end`;

export { schema as modelProfileSchema };
