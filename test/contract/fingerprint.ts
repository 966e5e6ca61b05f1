import type { Database } from '../../db/core/index.ts';

/**
 * One text for everything that the database holds but the audit log, which grows with what is refused too: the same
 * text means that nothing has changed.
 */
export async function fingerprint({ system }: Database): Promise<string> {
  const { rows } = await system.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'audit_log%' order by relname",
  );
  const parts = rows.map(
    ({ name }) =>
      `select '${name} ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as line from ${name} t`,
  );
  const lines = await system.query<{ line: string }>(parts.join(' union all '));
  return lines.rows.map(({ line }) => line).join('\n');
}
