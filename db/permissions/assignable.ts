import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { AllowlistName } from '../../domain/permissions/index.ts';
import { Agent } from '../agents/index.ts';
import { ProviderChain } from '../provider-chains/index.ts';
import { ProviderAccount } from '../providers/index.ts';

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
const OLDEST_FIRST = { orderBy: { id: 'asc' as const } };

/** Lists what can go into an allowlist. */
export async function listAssignable(em: EntityManager): Promise<AssignableRecords> {
  const agents = await em.find(Agent, LIVE, OLDEST_FIRST);
  const providers = await em.find(ProviderAccount, LIVE, OLDEST_FIRST);
  const chains = await em.find(ProviderChain, {}, OLDEST_FIRST);
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
