import type { EntityManager } from '@mikro-orm/postgresql';

/** Tells whether an agent of an organization names a tool, deleted ones apart. */
export async function isToolNamed(
  em: EntityManager,
  { orgId, key }: { readonly orgId: string; readonly key: string },
): Promise<boolean> {
  const named = await em.execute<object[]>(
    'select 1 from agents where org_id = ? and deleted_at is null and jsonb_exists(tools, ?) limit 1',
    [orgId, key],
  );
  return named.length > 0;
}
