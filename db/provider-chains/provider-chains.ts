import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../domain/core/app-error.ts';
import { afterCommit, type Database, type Listed, type Page } from '../core/index.ts';
import { changePolicies } from '../orgs/index.ts';
import { lockRecord, readRecords, requireRecord } from '../records/index.ts';
import { ProviderChain } from './provider-chain.entity.ts';

/** The fields of a chain that a caller sets. */
export type ProviderChainFields = Pick<ProviderChain, 'name' | 'isDefault' | 'steps'>;

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
