import type { Database } from '../../core/index.ts';

/**
 * A server that an agent names and that is gone, or that has some of the tools no more that were chosen for the agent.
 */
export interface BrokenServer {
  readonly id: string;
  readonly isGone: boolean;
  readonly goneTools: readonly string[];
}

/** What an agent refers to in vain, beside definitions. */
export interface BrokenReferences {
  readonly servers: readonly BrokenServer[];
  /** Whether it names a model profile that is gone, or that names neither a provider nor a chain any more. */
  readonly isProfileGone: boolean;
}

// Which tools a server has is known once they have been fetched. A chain that was deleted leaves no reference behind.
const STATEMENT = `
select
  a.model_pref like 'profile:%' and not exists (
    select from model_profiles f where f.org_id = a.org_id and lower(f.name) = lower(trim(substr(a.model_pref, 9)))
      and (f.provider_type is not null or f.provider_chain_id is not null)
  ) as "isProfileGone",
  coalesce((
    select jsonb_agg(jsonb_build_object('id', n.id, 'isGone', s.id is null, 'goneTools', gone.names) order by n.place)
    from jsonb_array_elements(a.mcps) with ordinality i (item, place)
      cross join lateral (select coalesce(i.item ->> 'id', i.item ->> 'server_id')::uuid as id, i.place) n
      left join mcp_servers s on s.org_id = a.org_id and s.id = n.id
      cross join lateral (
        select case when jsonb_typeof(i.item -> 'tools') = 'array' and s.tools_fetched_at is not null
          then i.item -> 'tools' else '[]' end as names
      ) chosen
      cross join lateral (
        select coalesce(jsonb_agg(one.wanted), '[]') as names from jsonb_array_elements_text(chosen.names) as one (wanted)
        where not one.wanted = any (array(select there.tool ->> 'name' from jsonb_array_elements(s.tools) as there (tool)))
      ) gone
    where n.id is not null and (s.id is null or gone.names <> '[]')
  ), '[]') as servers
from agents a where a.org_id = $1 and a.id = $2`;

/** Finds out which model profile and MCP servers an agent names in vain. */
export async function findBrokenReferences(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
): Promise<BrokenReferences> {
  const [found] = await tenant.query<{ isProfileGone: boolean | null; servers: readonly BrokenServer[] }>(orgId, {
    name: 'find-broken-references',
    text: STATEMENT,
    values: [orgId, agentId],
  });
  return { servers: found?.servers ?? [], isProfileGone: found?.isProfileGone ?? false };
}
