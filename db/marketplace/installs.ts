import type { EntityManager } from '@mikro-orm/postgresql';
import type { TenantDatabase } from '../core/index.ts';

/** An installed item: its version, and when it was installed and last upgraded. */
export interface Install {
  readonly slug: string;
  readonly version: string;
  /** Where the item came from. */
  readonly source: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Returns what the organization has installed, by slug. */
export async function listInstalls({ tenant }: TenantDatabase, orgId: string): Promise<ReadonlyMap<string, Install>> {
  const rows = await tenant.query<Install>(orgId, {
    name: 'list-installs',
    text: `select slug, version, source, created_at as "createdAt", updated_at as "updatedAt" from marketplace_installs
      where org_id = $1`,
    values: [orgId],
  });
  return new Map(rows.map((install) => [install.slug, install]));
}

/**
 * Makes installations of an item in an organization wait for each other, until the transaction has ended. Returns the source
 * from which it is installed; undefined when it is not.
 */
export async function lockInstall(em: EntityManager, orgId: string, slug: string): Promise<string | undefined> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`install ${orgId} ${slug}`]);
  const rows = await em.execute<{ source: string }[]>(
    'select source from marketplace_installs where org_id = ? and slug = ?',
    [orgId, slug],
  );
  return rows[0]?.source;
}

/** Notes the version of an item that the organization has, and where it came from. */
export async function noteInstall(
  em: EntityManager,
  orgId: string,
  { slug, version, source }: Pick<Install, 'slug' | 'version' | 'source'>,
): Promise<void> {
  await em.execute(
    `insert into marketplace_installs as known (org_id, slug, version, source) values (?, ?, ?, ?)
      on conflict (org_id, slug) do update set version = excluded.version, source = excluded.source, updated_at = now()
      where (known.version, known.source) <> (excluded.version, excluded.source)`,
    [orgId, slug, version, source],
  );
}
