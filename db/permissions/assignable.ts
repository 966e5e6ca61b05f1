import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { AllowlistName } from '../../domain/permissions/index.ts';
import { Agent } from '../agents/index.ts';
import { type Database, MAX_PAGE_ROWS } from '../core/index.ts';
import type { Statement } from '../core/sql-pool.ts';
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

/**
 * Lists what can go into an allowlist: of each kind as many as one may hold. With `userId` the provider accounts that
 * others have added for themselves are left out.
 */
export async function listAssignable(
  { tenant }: Database,
  orgId: string,
  userId: string | undefined,
): Promise<AssignableRecords> {
  const [agents, providers, chains] = await tenant.series(orgId, [
    namesOf('agents', 'deleted_at is null', [orgId]),
    namesOf('provider_accounts', 'deleted_at is null and ($2::uuid is null or shared or user_id = $2)', [
      orgId,
      userId,
    ]),
    namesOf('provider_chains', 'true', [orgId]),
  ]);
  return {
    agents: (agents ?? []) as AssignableRecord[],
    providers: (providers ?? []) as AssignableRecord[],
    chains: (chains ?? []) as AssignableRecord[],
  };
}

function namesOf(table: string, condition: string, values: readonly unknown[]): Statement {
  return {
    name: `assignable-${table}`,
    text: `select id, name from ${table} where org_id = $1 and ${condition} order by id limit ${MAX_PAGE_ROWS}`,
    values: [...values],
  };
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
