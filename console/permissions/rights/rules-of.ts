import type { GroupRules } from '../../../domain/permissions/index.ts';
import type { GroupValues } from './group-values.ts';

/** Returns the rules that a group has, as the server reads them. */
export function rulesOf(id: string, values: GroupValues): GroupRules {
  return {
    id,
    permissions: values.permissions,
    limits: {
      tokenBudget: values.token_budget ?? 0,
      tokenWindowHours: values.token_window_hours ?? 0,
      maxConcurrentAgents: values.max_concurrent_agents ?? 0,
      maxProviderAccounts: values.max_provider_accounts ?? 0,
    },
    allowlists: {
      agentIds: values.agent_ids,
      skillKeys: values.skill_keys,
      toolKeys: values.tool_keys,
      personaIds: values.persona_ids,
      providerIds: values.provider_ids,
      chainIds: values.chain_ids,
    },
    defaultChainId: values.default_chain_id,
  };
}
