import type { EntityManager } from '@mikro-orm/postgresql';
import type { DefinitionKind } from '../../domain/definitions/definition.ts';
import type { TenantDatabase } from '../core/database.ts';

/** An installed item: its version, and when it was installed and last upgraded. */
export interface Install {
  readonly slug: string;
  readonly version: string;
  /** Where the item came from. */
  readonly source: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Records that were kept when the item was last installed, and differ from it. */
  readonly kept: readonly KeptRecord[];
}

/** A record of an installed item that was left as it was edited. */
export interface KeptRecord {
  readonly kind: 'agent' | DefinitionKind;
  readonly key: string;
  readonly id: string;
}

/** Returns what the organization has installed, by slug. */
export async function listInstalls({ tenant }: TenantDatabase, orgId: string): Promise<ReadonlyMap<string, Install>> {
  const rows = await tenant.query<Install>(orgId, {
    name: 'list-installs',
    text: `select slug, version, source, created_at as "createdAt", updated_at as "updatedAt", coalesce((
        select jsonb_agg(record) from jsonb_array_elements(kept) record
        where exists (select from definitions d where d.id = (record ->> 'id')::uuid)
          or exists (select from agents a where a.id = (record ->> 'id')::uuid and a.deleted_at is null)
      ), '[]') as kept
      from marketplace_installs where org_id = $1`,
    values: [orgId],
  });
  return new Map(rows.map((install) => [install.slug, install]));
}

/**
 * Makes installations of an item in an organization wait for each other, until the transaction has ended. Returns from
 * where it is installed, and what was kept of it; undefined when it is not installed.
 */
export async function lockInstall(
  em: EntityManager,
  orgId: string,
  slug: string,
): Promise<Pick<Install, 'source' | 'kept'> | undefined> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`install ${orgId} ${slug}`]);
  const rows = await em.execute<Pick<Install, 'source' | 'kept'>[]>(
    'select source, kept from marketplace_installs where org_id = ? and slug = ?',
    [orgId, slug],
  );
  return rows[0];
}

/** Records the installed version of an item, its source, and which records were kept. */
export async function noteInstall(
  em: EntityManager,
  orgId: string,
  { slug, version, source, kept }: Pick<Install, 'slug' | 'version' | 'source' | 'kept'>,
): Promise<void> {
  const records = JSON.stringify(kept.map(({ kind, key, id }) => ({ kind, key, id })));
  await em.execute(
    `insert into marketplace_installs as known (org_id, slug, version, source, kept) values (?, ?, ?, ?, ?)
      on conflict (org_id, slug) do update set version = excluded.version, source = excluded.source, kept = excluded.kept,
        updated_at = case when (known.version, known.source) = (excluded.version, excluded.source)
          then known.updated_at else now() end
      where (known.version, known.source, known.kept) <> (excluded.version, excluded.source, excluded.kept)`,
    [orgId, slug, version, source, records],
  );
}
