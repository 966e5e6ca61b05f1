import type { z } from 'zod';
import type { GroupWithMembers, PermissionGroup, PermissionGroupFields } from '../../db/permissions/index.ts';
import type { AllowlistName, GroupAllowlists, GroupLimits } from '../../domain/permissions/index.ts';
import type { groupChangesSchema, groupSchema } from './schema.ts';

type GroupChanges = z.output<typeof groupChangesSchema>;
type ShownCapabilities = z.input<typeof groupSchema>['capabilities'];

/** The allowlists under their outer names. */
const LIST_OF = {
  agent_ids: 'agentIds',
  skill_keys: 'skillKeys',
  tool_keys: 'toolKeys',
  persona_ids: 'personaIds',
  provider_ids: 'providerIds',
  chain_ids: 'chainIds',
} as const satisfies Record<string, AllowlistName>;

/** What a group without capabilities allows: everything. */
const NO_LISTS: GroupAllowlists = {
  agentIds: [],
  skillKeys: [],
  toolKeys: [],
  personaIds: [],
  providerIds: [],
  chainIds: [],
};
const NO_LIMITS: GroupLimits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };

/** A group as the API shows it. */
export function presentGroup({ group, userIds }: GroupWithMembers): z.input<typeof groupSchema> {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    permissions: [...group.permissions],
    limits: presentLimits(group.limits),
    capabilities: presentCapabilities(group.allowlists, group.defaultChainId),
    user_ids: [...userIds],
    created_at: group.createdAt.toISOString(),
    updated_at: group.updatedAt.toISOString(),
  };
}

/** Limits under their outer names. */
export function presentLimits(limits: GroupLimits): z.input<typeof groupSchema>['limits'] {
  return {
    token_budget: limits.tokenBudget,
    token_window_hours: limits.tokenWindowHours,
    max_concurrent_agents: limits.maxConcurrentAgents,
    max_provider_accounts: limits.maxProviderAccounts,
  };
}

/** Allowlists and the chain that is forced, under their outer names. */
export function presentCapabilities(lists: GroupAllowlists, defaultChainId: string | null): ShownCapabilities {
  return {
    agent_ids: [...lists.agentIds],
    skill_keys: [...lists.skillKeys],
    tool_keys: [...lists.toolKeys],
    persona_ids: [...lists.personaIds],
    provider_ids: [...lists.providerIds],
    chain_ids: [...lists.chainIds],
    default_chain_id: defaultChainId,
  };
}

/** The fields of a new group, under their inner names. */
export function toGroupFields(body: GroupChanges & { name: string; description: string }): PermissionGroupFields {
  const nothing = { permissions: [], limits: NO_LIMITS, allowlists: NO_LISTS, defaultChainId: null };
  return { ...nothing, name: body.name, description: body.description, ...toGroupChanges(body, nothing) };
}

type Present = Pick<PermissionGroup, 'limits' | 'allowlists'>;

/** The fields that a body changes; of limits and capabilities those that it does not name stay as they are. */
export function toGroupChanges(body: GroupChanges, present: Present): Partial<PermissionGroupFields> {
  const { name, description, permissions, limits, capabilities } = body;
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(permissions !== undefined && { permissions: [...new Set(permissions)] }),
    ...(limits !== undefined && { limits: toLimits(limits, present.limits) }),
    ...(capabilities !== undefined && { allowlists: toAllowlists(capabilities, present.allowlists) }),
    ...(capabilities?.default_chain_id !== undefined && { defaultChainId: capabilities.default_chain_id }),
  };
}

function toLimits(limits: NonNullable<GroupChanges['limits']>, present: GroupLimits): GroupLimits {
  return {
    tokenBudget: limits.token_budget ?? present.tokenBudget,
    tokenWindowHours: limits.token_window_hours ?? present.tokenWindowHours,
    maxConcurrentAgents: limits.max_concurrent_agents ?? present.maxConcurrentAgents,
    maxProviderAccounts: limits.max_provider_accounts ?? present.maxProviderAccounts,
  };
}

function toAllowlists(given: NonNullable<GroupChanges['capabilities']>, present: GroupAllowlists): GroupAllowlists {
  const names = Object.keys(LIST_OF) as (keyof typeof LIST_OF)[];
  const changed = names.flatMap((name) => (given[name] === undefined ? [] : [[LIST_OF[name], distinct(given[name])]]));
  return { ...present, ...(Object.fromEntries(changed) as Partial<GroupAllowlists>) };
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items)];
}
