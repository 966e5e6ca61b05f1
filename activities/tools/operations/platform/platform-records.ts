import { listAgentWorkflows } from '../../../../db/agent-workflows/agent-workflows.ts';
import { getAgent, listAgents } from '../../../../db/agents/agents.ts';
import type { Database } from '../../../../db/core/database.ts';
import { withOrgTransaction } from '../../../../db/core/transactions.ts';
import type { Definitions } from '../../../../db/definitions/definitions.ts';
import { listDefinitions, type ListedDefinition } from '../../../../db/definitions/read-definitions.ts';
import { listProjects } from '../../../../db/projects/projects.ts';
import { listProviderChains } from '../../../../db/provider-chains.ts';
import { listProviderAccounts } from '../../../../db/providers/provider-accounts.ts';
import { listSchedulesOf } from '../../../../db/schedules/schedules.ts';
import type { DefinitionKind } from '../../../../domain/definitions/definition.ts';
import { allowedIds } from '../../../../domain/permissions/restrict.ts';
import type { PermissionKey } from '../../../../domain/permissions/keys.ts';
import { type Policy, policyAllows } from '../../../../domain/permissions/policy.ts';
import { readMemberUsage } from '../../../../db/permissions/usage.ts';
import { AppError, notFound } from '../../../../domain/core/app-error.ts';
import { runOperation } from '../agent-call.ts';

/** The kinds of records that an agent can read. */
export const PLATFORM_KINDS = [
  'agents',
  'tools',
  'skills',
  'personas',
  'projects',
  'workflows',
  'schedules',
  'providers',
  'provider_chains',
] as const;

export type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** A record as an agent is shown it, with the fields of its kind. */
export interface InspectedRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/**
 * The records that the user of a call may see, by the operations of the routes. Throws `ToolFailure` with a message for
 * the model.
 */
export interface PlatformRecords {
  /** Returns the records of a kind, at most 500. */
  list(kind: PlatformKind): Promise<readonly InspectedRecord[]>;
  get(kind: PlatformKind, id: string): Promise<InspectedRecord>;
  /** Returns what the user has used of their budgets. */
  usage(): Promise<unknown>;
}

/** The reader, and the dependencies. */
interface Inspection {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly orgId: string;
  readonly userId: string;
  readonly policy: Policy | null;
}

/** One kind of records, as its list route shows them to the user. */
interface InspectedKind {
  readonly permission: PermissionKey;
  readonly list: (inspection: Inspection) => Promise<readonly InspectedRecord[]>;
}

/** The records of one kind. */
const MAX_SEARCHED = 500;
const limit = MAX_SEARCHED;

const definitionsOf = (kind: DefinitionKind, permission: PermissionKey): InspectedKind => ({
  permission,
  list: async ({ database, definitions, orgId, policy }) => {
    const only = allowedIds(policy, ({ tool: 'toolKeys', skill: 'skillKeys', persona: 'personaIds' } as const)[kind]);
    const { items } = await listDefinitions(database, definitions.shipped, orgId, { kind, only, limit });
    return items.map(definition);
  },
});

function definition({ id, key, name, description, category, origin, version, persona }: ListedDefinition) {
  const ofPersona =
    persona === null ? {} : { default_tools: persona.defaultTools, default_skills: persona.defaultSkills };
  return { id, name, description, key, category, origin, version, ...ofPersona };
}

/** The kinds of records that a user can read; secrets are part of none. */
const KINDS: Readonly<Record<PlatformKind, InspectedKind>> = {
  agents: {
    permission: 'agents.view',
    list: async ({ database, orgId, policy }) => {
      const onlyIds = allowedIds(policy, 'agentIds');
      const { items } = await listAgents(database, orgId, { onlyIds, deleted: false, limit });
      return items.map(({ id, name, description, agentType, isActive, tools, skills }) => ({
        id,
        name,
        description,
        agent_type: agentType,
        is_active: isActive,
        tools,
        skills,
      }));
    },
  },
  tools: definitionsOf('tool', 'tools.view'),
  skills: definitionsOf('skill', 'skills.view'),
  personas: definitionsOf('persona', 'personas.view'),
  projects: {
    permission: 'projects.view',
    list: async ({ database, orgId, policy }) => {
      const agents = allowedIds(policy, 'agentIds');
      const { items } = await listProjects(database, orgId, { deleted: false, limit });
      return items.map(({ id, name, description, repoUrl, agentIds }) => ({
        id,
        name,
        description,
        repo_url: repoUrl,
        agent_ids: agentIds.filter((each) => agents === undefined || agents.includes(each)),
      }));
    },
  },
  workflows: {
    permission: 'schedules.view',
    list: async ({ database, orgId, policy }) => {
      const bound = { allowedAgentIds: allowedIds(policy, 'agentIds'), limit };
      const { items } = await listAgentWorkflows(database, orgId, bound);
      return items.map((workflow) => ({
        id: workflow.id,
        name: workflow.name,
        description: workflow.description,
        agent_id: workflow.agentId,
        trigger_type: workflow.triggerType,
        is_active: workflow.isActive,
        prompt_template: workflow.promptTemplate,
        steps: workflow.steps.map(({ name, agentId, promptTemplate }) => ({
          name,
          agent_id: agentId,
          prompt_template: promptTemplate,
        })),
      }));
    },
  },
  schedules: {
    permission: 'schedules.view',
    list: async ({ database, orgId, userId, policy }) => {
      const bound = { allowedAgentIds: allowedIds(policy, 'agentIds'), limit };
      const { items } = await listSchedulesOf(database, { orgId, userId }, bound);
      return items.map((schedule) => ({
        id: schedule.id,
        name: schedule.name,
        description: schedule.description ?? '',
        agent_id: schedule.agentId,
        cron_expr: schedule.cronExpr,
        interval_minutes: schedule.intervalMinutes,
        timezone: schedule.timezone,
        is_active: schedule.isActive,
        next_run_at: schedule.nextRunAt?.toISOString() ?? null,
      }));
    },
  },
  providers: {
    permission: 'providers.view',
    list: async ({ database, orgId, userId, policy }) => {
      const selection = { onlyIds: allowedIds(policy, 'providerIds'), userId, deleted: false, limit };
      const { items } = await listProviderAccounts(database, orgId, selection);
      return items.map(({ id, name, providerType, modelName, shared }) => ({
        id,
        name,
        description: '',
        provider_type: providerType,
        model_name: modelName,
        shared,
      }));
    },
  },
  provider_chains: {
    permission: 'providers.view',
    list: async ({ database, orgId, policy }) => {
      const selection = { onlyIds: allowedIds(policy, 'chainIds'), limit };
      const { items } = await listProviderChains(database, orgId, selection);
      return items.map(({ id, name, isDefault }) => ({ id, name, description: '', is_default: isDefault }));
    },
  },
};

/** Returns what a user may see of the platform for a tool, until the signal aborts. */
export function platformRecords(inspection: Inspection, signal: AbortSignal): PlatformRecords {
  const { database, orgId, userId, policy } = inspection;
  const run = async <T>(work: () => Promise<T>) => runOperation(signal, work);
  const list = async (kind: PlatformKind) => {
    const { permission, list: read } = KINDS[kind];
    if (policy !== null && policyAllows(policy, permission)) return read(inspection);
    throw new AppError('forbidden', `The user you work for lacks the permission ${permission}, which this requires`);
  };
  return {
    list: async (kind) => run(async () => list(kind)),
    get: async (kind, id) =>
      run(async () => {
        const record = (await list(kind)).find((each) => each.id === id);
        if (record === undefined) throw notFound(`A record of the kind ${kind} with this id`);
        return kind === 'agents' ? { ...record, ...(await detailsOf(inspection, id)) } : record;
      }),
    usage: async () =>
      run(async () => {
        if (policy === null) throw new AppError('forbidden', 'The user you work for is no longer a member');
        const { budgets, runningAgents } = await readMemberUsage(database, { orgId, userId }, policy.limits.budgets);
        return {
          running_agents: runningAgents,
          budgets: budgets.map(({ tokens, windowHours, usedTokens, freeAt }) => ({
            tokens,
            window_hours: windowHours,
            used_tokens: usedTokens,
            free_at: freeAt,
          })),
        };
      }),
  };
}

// Fields that only a single agent shows.
async function detailsOf({ database, orgId }: Inspection, id: string): Promise<Omit<InspectedRecord, 'id' | 'name'>> {
  const agent = await withOrgTransaction(database, orgId, async (em) => getAgent(em, id));
  return {
    description: agent.description,
    system_prompt: agent.systemPrompt,
    persona_id: agent.personaId,
    requires_approval: agent.requiresApproval,
    model_pref: agent.modelPref,
    provider_chain_id: agent.providerChainId,
    temperature: agent.temperature,
    max_tokens: agent.maxTokens,
  };
}
