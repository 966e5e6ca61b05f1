import type { TurnChain } from '../provider-chains/index.ts';

/** The model profile that a turn's agent names, or that was found for a sub-agent. */
export interface TurnProfile {
  readonly name: string;
  readonly providerType: string | null;
  readonly modelName: string | null;
  readonly chain: Pick<TurnChain, 'name' | 'steps'> | null;
}

/** Counts which of the wanted tags (an SQL expression, in lower case) a JSON array of tags holds, as `count`. */
export function matchingTags(tags: string, wanted: string): string {
  return `(select count(distinct lower(tag)) from jsonb_array_elements_text(${tags}) tag where lower(tag) = any(${wanted}))`;
}

/**
 * The profile of chat `c` and its agent `a` as a column, null for none. The kinds of work that a sub-agent was asked
 * for come first, then the profile that the agent names. Nothing is looked up for agents that name a model, or none.
 */
export const PROFILE_OF_CHAT = `case when c.model_tags is not null or a.model_pref like 'profile:%' then (
    select jsonb_build_object('name', f.name, 'providerType', f.provider_type, 'modelName', f.model_name, 'chain', (
        select jsonb_build_object('name', h.name, 'steps', h.steps) from provider_chains h where h.id = f.provider_chain_id
      ))
    from model_profiles f cross join lateral ${matchingTags('f.tags', 'c.model_tags')} matching
    where f.org_id = c.org_id and (matching.count > 0 or lower(f.name) = lower(trim(substr(a.model_pref, 9))))
    order by matching.count desc, f.priority desc, f.id limit 1
  ) end`;
