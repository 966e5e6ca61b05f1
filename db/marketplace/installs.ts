import type { EntityManager } from '@mikro-orm/postgresql';
import type { TenantDatabase } from '../core/index.ts';

/** An installed item: its version, and when it was installed and last upgraded. */
export interface Install {
  readonly slug: string;
  readonly version: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Returns what the organization has installed, by slug. */
export async function listInstalls({ tenant }: TenantDatabase, orgId: string): Promise<ReadonlyMap<string, Install>> {
  const rows = await tenant.query<Install>(orgId, {
    name: 'list-installs',
    text: `select slug, version, created_at as "createdAt", updated_at as "updatedAt" from marketplace_installs
      where org_id = $1`,
    values: [orgId],
  });
  return new Map(rows.map((install) => [install.slug, install]));
}

/** Makes installations of an item in an organization wait for each other, until the transaction has ended. */
export async function lockInstall(em: EntityManager, orgId: string, slug: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`install ${orgId} ${slug}`]);
}

/** Notes the version of an item that the organization has. */
export async function noteInstall(
  em: EntityManager,
  orgId: string,
  { slug, version }: Pick<Install, 'slug' | 'version'>,
): Promise<void> {
  await em.execute(
    `insert into marketplace_installs (org_id, slug, version) values (?, ?, ?)
      on conflict (org_id, slug) do update set version = excluded.version, updated_at = now()
      where marketplace_installs.version <> excluded.version`,
    [orgId, slug, version],
  );
}
