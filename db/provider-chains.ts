import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { defineEntity, p } from '@mikro-orm/core';
import { notFound } from '../domain/core/app-error.ts';
import { afterCommit } from './core/after-commit.ts';
import type { Database } from './core/database.ts';
import type { Listed, Page } from './core/page.ts';
import { changePolicies } from './orgs/memberships.ts';
import { lockRecord, readRecords, requireRecord } from './records/records.ts';
import { chooseChain, UNREFERENCED } from '../domain/permissions/restrict.ts';
import { projectOf } from './chats/chat.ts';
import type { TurnPart } from './turns/claim/turn-parts.ts';
import { tenantFilters, tenantProperties } from './core/tenant-entity.ts';

const schema = defineEntity({
  name: 'ProviderChain',
  tableName: 'provider_chains',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Its creator; null when unknown. */
    ownerId: p.uuid().strictNullable(),
    name: p.text(),
    isDefault: p.boolean(),
    steps: p.json<StoredChainStep[]>(),
  },
});

/** The provider types that may answer a turn, in the order in which they are called. */
export class ProviderChain extends schema.class {}
schema.setClass(ProviderChain);

/** The fields of a chain that a caller sets. */
type ProviderChainFields = Pick<ProviderChain, 'name' | 'isDefault' | 'steps'>;

const THING = 'Provider chain';

/** Returns the organization's chains, or those of them with the given ids, oldest first. */
export async function listProviderChains(
  database: Database,
  orgId: string,
  { onlyIds, ...page }: Page & { readonly onlyIds: readonly string[] | undefined },
): Promise<Listed<ProviderChain>> {
  const where = '$2::uuid[] is null or id = any($2)';
  const query = { name: 'list-provider-chains', where, values: [onlyIds ?? null], page };
  return readRecords(database, orgId, ProviderChain, query);
}

/** Returns the chain; `not_found` when there is none. */
export async function getProviderChain(em: EntityManager, id: string): Promise<ProviderChain> {
  return requireRecord(em, ProviderChain, THING, { id });
}

interface NewProviderChain extends ProviderChainFields {
  readonly orgId: string;
  /** The creator. */
  readonly ownerId: string;
}

/** Adds a chain; a new default replaces the former one. */
export async function createProviderChain(em: EntityManager, fields: NewProviderChain): Promise<ProviderChain> {
  const id = uuidv7();
  if (fields.isDefault) {
    await lockDefault(em, fields.orgId);
    await unsetOtherDefault(em, id);
    // A waiting turn may find an account by it.
    afterCommit(em, { wakesTurnsOf: fields.orgId });
  }
  return em.create(ProviderChain, { ...fields, id } as RequiredEntityData<ProviderChain>, { persist: true });
}

/**
 * Returns the chain, locked until the transaction has ended; `not_found` when there is none. When it is to become the
 * default, the choice of the default is locked before it, so that two concurrent requests cannot both set theirs.
 */
export async function lockProviderChain(
  em: EntityManager,
  { orgId, id, becomesDefault = false }: { orgId: string; id: string; becomesDefault?: boolean },
): Promise<ProviderChain> {
  if (becomesDefault) await lockDefault(em, orgId);
  return lockRecord(em, ProviderChain, THING, { id });
}

/** Changes the given fields of a locked chain only; a new default replaces the former one. */
export async function updateProviderChain(
  em: EntityManager,
  chain: ProviderChain,
  changes: Partial<ProviderChainFields>,
): Promise<ProviderChain> {
  const { isDefault, steps } = chain;
  if (changes.isDefault === true) await unsetOtherDefault(em, chain.id);
  const changed = em.assign(chain, changes, { mergeObjectProperties: false });
  if (!isDeepStrictEqual({ isDefault, steps }, { isDefault: changed.isDefault, steps: changed.steps }))
    afterCommit(em, { wakesTurnsOf: chain.orgId });
  return changed;
}

/**
 * Deletes a chain permanently. References to it become null, which changes the policies of members on whom it is
 * forced.
 */
export async function deleteProviderChain(em: EntityManager, { id, orgId }: ProviderChain): Promise<void> {
  const forcedOn = await em.execute<{ userId: string }[]>(
    `select distinct gm.user_id as "userId" from permission_groups g
      join permission_group_members gm on gm.group_id = g.id where g.default_chain_id = ?`,
    [id],
  );
  await changePolicies(
    em,
    orgId,
    forcedOn.map(({ userId }) => userId),
  );
  await em.nativeDelete(ProviderChain, { id });
  afterCommit(em, { wakesTurnsOf: orgId });
}

/** Checks that a chain exists, and keeps it until the transaction has ended; `not_found` when it does not. */
export async function requireProviderChain(em: EntityManager, id: string): Promise<void> {
  const chain = await em.findOne(ProviderChain, { id }, { lockMode: LockMode.PESSIMISTIC_READ, fields: ['id'] });
  if (chain === null) throw notFound(THING);
}

/** Locks the choice of the default chain, so that two concurrent changes leave one default and no conflict. */
async function lockDefault(em: EntityManager, orgId: string): Promise<void> {
  await em.execute('select 1 from orgs where id = ? for no key update', [orgId]);
}

async function unsetOtherDefault(em: EntityManager, id: string): Promise<void> {
  await em.nativeUpdate(
    ProviderChain,
    { isDefault: true, id: { $ne: id } },
    { isDefault: false, updatedAt: new Date() },
  );
}

/** The provider chain that applies to the turn. */
export interface TurnChain {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly { readonly provider_type: string; readonly model_name: string | null }[];
  /** Whether a permission group or the chat has chosen it, so that no model profile of the agent replaces it. */
  readonly isBinding: boolean;
}

const OF_CHAT = 0;

interface ChainRow extends Omit<TurnChain, 'isBinding'> {
  readonly rank: number;
}

/**
 * The turn's chain; null when it has none. Chains without a reference are read only for members of permission groups,
 * who may be restricted to them.
 */
export const chainForTurn: TurnPart<ChainRow, TurnChain | null> = {
  text: `select h.id, h.name, h.steps, h.rank
      from (
        select p.*, case when p.id = c.provider_chain_id then ${OF_CHAT} when p.id = a.provider_chain_id then 1
          when p.id = (
            select j.provider_chain_id from projects j where j.id = ${projectOf('c')} and j.deleted_at is null
          ) then 2 when p.is_default then 3 else ${UNREFERENCED} end as rank
        from provider_chains p where p.org_id = c.org_id
      ) h
      where h.rank < ${UNREFERENCED} or exists (
        select from permission_group_members gm where gm.org_id = c.org_id and gm.user_id = c.user_id
      )
      order by h.id`,
  of: (chains, { policy }) => {
    const chain = policy === null ? undefined : chooseChain(policy, chains);
    if (policy === null || chain === undefined) return null;
    const { id, name, steps, rank } = chain;
    const isOfGroup = policy.defaultChainId === id || policy.allowlists.chainIds !== 'all';
    return { id, name, steps, isBinding: isOfGroup || rank === OF_CHAT };
  },
};

/** A step as it is stored and shown. */
interface StoredChainStep {
  readonly provider_type: string;
  readonly model_name: string | null;
}

export { schema as providerChainSchema };
