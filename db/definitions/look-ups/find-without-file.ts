import type { Database } from '../../core/index.ts';

/** Returns those of an organization's definitions that have no file at a path. */
export async function findWithoutFile(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  { ids, path }: { readonly ids: readonly string[]; readonly path: string },
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await tenant.query<{ id: string }>(orgId, {
    name: 'definitions-without-file',
    text: `select d.id from definitions d where d.id = any($1::uuid[])
      and not exists (select from definition_files f where f.definition_id = d.id and f.path = $2)`,
    values: [ids, path],
  });
  return rows.map(({ id }) => id);
}
