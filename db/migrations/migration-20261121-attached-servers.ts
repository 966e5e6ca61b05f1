import { Migration } from '@mikro-orm/migrations';

/** Removes program names and secrets from agents' MCP servers; nothing has used them so far. */
export class Migration20261121AttachedServers extends Migration {
  override up(): void {
    // Row-level security binds the tables' owner too.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(SERVERS);
    this.addSql("select set_config('app.scope', '', true)");
  }
}

const SERVERS = `
update agents set mcps = coalesce((
    select jsonb_agg(coalesce((
        select jsonb_object_agg(key, value) from jsonb_each(case jsonb_typeof(item) when 'object' then item else '{}' end)
        where key in ('name', 'description', 'url', 'auth_type') and jsonb_typeof(value) = 'string'
          and not (key = 'url' and value::text like '%@%')
      ), '{}') order by place)
    from jsonb_array_elements(mcps) with ordinality as items (item, place)
  ), '[]')
  where mcps <> '[]';
`;
