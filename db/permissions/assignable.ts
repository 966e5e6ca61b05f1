import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import { recordBy } from '../../domain/core/objects.ts';
import { type AllowlistOfIds, ALLOWLISTS, type DeclaredAllowlist, resourceOf } from '../../domain/resources.ts';
import { Agent } from '../agents/agent.entity.ts';
import type { Database } from '../core/database.ts';
import { MAX_PAGE_ROWS } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';
import { ProviderChain } from '../provider-chains.ts';
import { ProviderAccount } from '../providers/provider-account.entity.ts';

/** A record that can go into an allowlist. */
export interface AssignableRecord {
  readonly id: string;
  readonly name: string;
}

/** The records that can go into each allowlist, oldest first. */
type AssignableRecords = Readonly<Record<AllowlistOfIds, readonly AssignableRecord[]>>;

interface Source {
  readonly entity: new () => { id: string; name: string; deletedAt?: Date | null };
  /** The condition in SQL on which the user `$2` sees a record; every member sees each unless given. */
  readonly seenBy?: string;
}

/** The records for each allowlist. Personas are definitions, some of which have no row: `Definitions` lists them. */
const SOURCES: Readonly<Record<AllowlistOfIds, Source | undefined>> = {
  agentIds: { entity: Agent },
  personaIds: undefined,
  providerIds: { entity: ProviderAccount, seenBy: 'shared or user_id = $2' },
  chainIds: { entity: ProviderChain },
};

const LISTS_OF_IDS = ALLOWLISTS.flatMap((list) => (list.entryKind === 'ids' ? [list] : []));

/**
 * Lists the records that can go into the allowlists of ids, each list up to its limit. With `userId`, records that this
 * user does not see are left out.
 */
export async function listAssignable(
  { orm, tenant }: Pick<Database, 'orm' | 'tenant'>,
  orgId: string,
  userId: string | undefined,
): Promise<AssignableRecords> {
  const sources = LISTS_OF_IDS.flatMap((list) => {
    const source = SOURCES[list.name];
    if (source === undefined) return [];
    const { tableName } = orm.getMetadata(source.entity);
    return [{ list, statement: namesOf(tableName, isLive(list), { orgId, userId, seenBy: source.seenBy }) }];
  });
  const rows = await tenant.series(
    orgId,
    sources.map(({ statement }) => statement),
  );
  const found = new Map(sources.map(({ list }, index) => [list.name, rows[index] ?? []]));
  return recordBy(LISTS_OF_IDS, 'name', ({ name }) => found.get(name) ?? []);
}

interface Seen {
  readonly seenBy: string | undefined;
  readonly orgId: string;
  readonly userId: string | undefined;
}

function namesOf(table: string, isLive: string, { orgId, userId, seenBy }: Seen): Statement<AssignableRecord> {
  const isSeen = seenBy === undefined || userId === undefined ? 'true' : seenBy;
  return {
    name: `assignable-${table}${isSeen === 'true' ? '' : '-seen'}`,
    text: `select id, name from ${table} where org_id = $1 and ${isLive} and (${isSeen}) order by id limit ${MAX_PAGE_ROWS}`,
    values: isSeen === 'true' ? [orgId] : [orgId, userId],
  };
}

function isLive({ resource }: DeclaredAllowlist): string {
  return resourceOf(resource).isRestorable === true ? 'deleted_at is null' : 'true';
}

/** Checks that the records for an allowlist exist, unless they are definitions; `not_found` when one does not. */
export async function requireAssignable(
  em: EntityManager,
  list: DeclaredAllowlist,
  added: readonly string[],
): Promise<void> {
  if (list.entryKind === 'keys' || list.name === 'personaIds' || added.length === 0) return;
  const ids = [...new Set(added)];
  const { name, isRestorable } = resourceOf(list.resource);
  const source = SOURCES[list.name];
  const where = { id: { $in: ids }, ...(isRestorable === true && { deletedAt: null }) };
  if (source === undefined || (await em.count(source.entity, where)) < ids.length) throw notFound(name);
}
