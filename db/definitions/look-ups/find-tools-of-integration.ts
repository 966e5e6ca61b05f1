import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_NAMED_USERS, type NamedUsers } from '../../records/index.ts';

/**
 * Returns which tools of an organization name an integration in their tool.json, in whatever letters; of those that may
 * be shown, some keys.
 */
export async function findToolsOfIntegration(
  em: EntityManager,
  { orgId, name }: { readonly orgId: string; readonly name: string },
  onlyKeys: readonly string[] | undefined,
): Promise<NamedUsers> {
  const shown = onlyKeys === undefined ? null : `{${onlyKeys.join(',')}}`;
  const [users] = await em.execute<NamedUsers[]>(
    `select count(*)::int as total, to_jsonb((
        array_agg(d.key order by d.key) filter (where ?::text[] is null or d.key = any(?::text[]))
      )[1:${MAX_NAMED_USERS}]) as names
      from definitions d join definition_files f on f.definition_id = d.id and f.path = 'tool.json'
      where d.org_id = ? and d.kind = 'tool'
        and case when pg_input_is_valid(f.content, 'jsonb') then lower(f.content::jsonb ->> 'integration') = lower(?) end`,
    [shown, shown, orgId, name],
  );
  return { total: users?.total ?? 0, names: users?.names ?? [] };
}
