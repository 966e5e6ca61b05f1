import { isDeepStrictEqual } from 'node:util';
import { type EntityManager, LockMode, type RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../domain/core/app-error.ts';
import { afterCommit, type Database, type Listed, type Page } from '../core/index.ts';
import { readRecords } from '../records/index.ts';
import { ProviderChain } from './provider-chain.entity.ts';

/** The fields of a chain that a caller sets. */
export type ProviderChainFields = Pick<ProviderChain, 'name' | 'isDefault' | 'steps'>;

const THING = 'Provider chain';

/** The organization's chains, or those of them with the given ids, oldest first. */
export async function listProviderChains(
  database: Database,
  orgId: string,
  { onlyIds, ...page }: Page & { readonly onlyIds: readonly string[] | undefined },
): Promise<Listed<ProviderChain>> {
  const where = '$2::uuid[] is null or id = any($2)';
  const query = { name: 'list-provider-chains', where, values: [onlyIds ?? null], page };
  return readRecords(database, orgId, ProviderChain, query);
}

/** The chain; `not_found` when there is none. */
export async function getProviderChain(em: EntityManager, id: string): Promise<ProviderChain> {
  const chain = await em.findOne(ProviderChain, { id });
  if (chain === null) throw notFound(THING);
  return chain;
}

interface NewProviderChain extends ProviderChainFields {
  readonly orgId: string;
  /** Who makes it. */
  readonly ownerId: string;
}

/** Adds a chain; one that is the default takes the place of the former default. */
export async function createProviderChain(em: EntityManager, fields: NewProviderChain): Promise<ProviderChain> {
  const id = uuidv7();
  if (fields.isDefault) {
    await lockDefault(em, fields.orgId);
    await unsetOtherDefault(em, id);
    // A turn that waits may find an account by it.
    afterCommit(em, { wakesTurnsOf: fields.orgId });
  }
  return em.create(ProviderChain, { ...fields, id } as RequiredEntityData<ProviderChain>, { persist: true });
}

/**
 * The chain, locked until the transaction has ended; `not_found` when there is none. When it is to become the default, the
 * choice of the default is locked before it, so that two requests cannot both make theirs the default.
 */
export async function lockProviderChain(
  em: EntityManager,
  { orgId, id, becomesDefault = false }: { orgId: string; id: string; becomesDefault?: boolean },
): Promise<ProviderChain> {
  if (becomesDefault) await lockDefault(em, orgId);
  const chain = await em.findOne(ProviderChain, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (chain === null) throw notFound(THING);
  return chain;
}

/** Changes the given fields of a locked chain only; one that becomes the default takes the place of the former one. */
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

/** Deletes a chain for good. What refers to it refers to none from then on. */
export async function deleteProviderChain(em: EntityManager, { id, orgId }: ProviderChain): Promise<void> {
  await em.nativeDelete(ProviderChain, { id });
  afterCommit(em, { wakesTurnsOf: orgId });
}

/** Makes sure that a chain exists, and that it does so until the transaction has ended; `not_found` when it does not. */
export async function requireProviderChain(em: EntityManager, id: string): Promise<void> {
  const chain = await em.findOne(ProviderChain, { id }, { lockMode: LockMode.PESSIMISTIC_READ, fields: ['id'] });
  if (chain === null) throw notFound(THING);
}

/** One request at a time says which chain is the default, so that two at once leave one default and no conflict. */
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
