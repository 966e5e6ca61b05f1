import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { AllowlistName } from '../../domain/permissions/index.ts';
import { Agent, listAgents } from '../agents/index.ts';
import type { Database } from '../core/index.ts';
import { listProviderChains, ProviderChain } from '../provider-chains/index.ts';
import { listProviderAccounts, ProviderAccount } from '../providers/index.ts';

/** A record that can go into an allowlist. */
export interface AssignableRecord {
  readonly id: string;
  readonly name: string;
}

/** The organization's records that can go into an allowlist, oldest first. */
export interface AssignableRecords {
  readonly agents: readonly AssignableRecord[];
  readonly providers: readonly AssignableRecord[];
  readonly chains: readonly AssignableRecord[];
}

const LIVE = { deletedAt: null };

/** Lists what can go into an allowlist. */
export async function listAssignable(database: Database, orgId: string): Promise<AssignableRecords> {
  const [[agents], providers, chains] = await Promise.all([
    listAgents(database, orgId, {}),
    listProviderAccounts(database, orgId),
    listProviderChains(database, orgId),
  ]);
  return { agents, providers, chains };
}

/** Makes sure that records exist which are to go into an allowlist; `not_found` when one does not. */
export async function requireAssignable(em: EntityManager, list: AllowlistName, ids: readonly string[]): Promise<void> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return;
  const id = { $in: distinct };
  if (list === 'agentIds' && (await em.count(Agent, { ...LIVE, id })) < distinct.length) throw notFound('Agent');
  if (list === 'providerIds' && (await em.count(ProviderAccount, { ...LIVE, id })) < distinct.length)
    throw notFound('Provider');
  if (list === 'chainIds' && (await em.count(ProviderChain, { id })) < distinct.length)
    throw notFound('Provider chain');
  // No organization has personas of its own yet, so every id of one is unknown.
  if (list === 'personaIds') throw notFound('Persona');
}
