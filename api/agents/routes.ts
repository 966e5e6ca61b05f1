import { z } from 'zod';
import { type AgentFields, getAgent, listAgents } from '../../db/agents/agents.ts';
import { createAgent, deleteAgent, restoreAgent, updateAgent } from '../../db/agents/change-agents.ts';
import { idOfServer } from '../../domain/agents.ts';
import { profileNameOf } from '../../domain/model-profiles.ts';
import { builtinAgents, builtinPersonas, isBuiltin, isToolKey } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { checkMaySeeDeleted } from '../resources/versions.ts';
import { pageOf } from '../http/pages.ts';
import { showPrompt } from './show-prompt.ts';
import { presenter, toFields } from '../../domain/core/record-names.ts';
import { findTemplate, presentAgent, templatePresenter } from './present-agent.ts';
import {
  agentChangesSchema,
  agentListItemSchema,
  agentSchema,
  agentsQuery,
  newAgentSchema,
  personaTypeSchema,
} from './schema.ts';

/** The parts of `missing` that a clone can leave out. */
const leftOutSchema = z
  .looseObject({
    tools: z.array(z.string()),
    skills: z.array(z.string()),
    persona_id: z.string().nullable(),
    mcp_servers: z.array(z.string()),
    model_profile: z.string().nullable(),
  })
  .partial();

type Cloned = Partial<Pick<AgentFields, 'tools' | 'requiresApproval' | 'skills' | 'mcps' | 'personaId' | 'modelPref'>>;

/**
 * Returns the fields of a new agent without what the agent that it is a clone of refers to in vain, as `missing` of its
 * record says: nothing can be added that does not exist.
 */
function withoutMissing<F extends Cloned>(fields: F, missing: Readonly<Record<string, unknown>> = {}): F {
  const { tools = [], skills = [], mcp_servers: servers = [], ...gone } = leftOutOf(missing);
  const { persona_id: personaId, model_profile: profile } = gone;
  return {
    ...fields,
    ...(fields.tools && { tools: fields.tools.filter((key) => !tools.includes(key)) }),
    ...(fields.requiresApproval && {
      requiresApproval: Object.fromEntries(
        Object.entries(fields.requiresApproval).filter(([key]) => !tools.includes(key)),
      ),
    }),
    ...(fields.skills && { skills: fields.skills.filter((key) => !skills.includes(key)) }),
    ...(fields.mcps && { mcps: fields.mcps.filter((server) => !servers.includes(idOfServer(server) ?? '')) }),
    ...(typeof personaId === 'string' && fields.personaId === personaId && { personaId: null }),
    ...(isNamed(profile, fields.modelPref) && { modelPref: null }),
  };
}

function isNamed(profile: string | null | undefined, modelPref: string | null | undefined): boolean {
  return typeof profile === 'string' && profileNameOf(modelPref ?? null) === profile;
}

// It is a part of a record that was sent back, and says nothing where it is something else.
function leftOutOf(missing: Readonly<Record<string, unknown>>): z.output<typeof leftOutSchema> {
  return leftOutSchema.safeParse(missing).data ?? {};
}

const view = { resource: 'agents', access: 'agents.view', tag: 'Agents' } as const;
const manage = { resource: 'agents', access: 'agents.manage', tag: 'Agents' } as const;

export const agentRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents',
    operationId: 'listAgents',
    summary: 'List the agents of the organization, or those that use a given record',
    query: agentsQuery,
    response: { status: 200, schema: agentListItemSchema.array() },
    handler: async ({ caller, query, allowedIds, answerPage }, { database }) => {
      checkMaySeeDeleted(caller, query, 'agents.manage');
      const { provider_chain_id: chainId, mcp_server_id: serverId, ...others } = query;
      const { knowledge_base_id: knowledgeBaseId, model_profile_id: profileId, ...page } = others;
      const wanted = { ...page, chainId, serverId, knowledgeBaseId, profileId, onlyIds: allowedIds };
      return answerPage(await listAgents(database, caller.orgId, wanted)).map(presenter(agentListItemSchema));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/templates',
    resource: 'agent_templates',
    operationId: 'listAgentTemplates',
    summary: 'List the agents that ship with the service, as templates to clone',
    query: pageQuery,
    response: { status: 200, schema: agentSchema.array() },
    handler: async ({ caller, query, answerPage }, context) => {
      const page = answerPage(pageOf(builtinAgents, query));
      return page.map(await templatePresenter(context, caller.orgId, page));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/types/builtin',
    resource: 'agent_types',
    action: 'view_builtin',
    operationId: 'listPersonaTypes',
    summary: 'List the persona types that seed new agents',
    query: pageQuery,
    response: { status: 200, schema: personaTypeSchema.array() },
    handler: async ({ query, answerPage }) =>
      answerPage(pageOf(builtinPersonas, query)).map(presenter(personaTypeSchema)),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/{agent_id}',
    operationId: 'getAgent',
    summary: 'Get an agent',
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller: { orgId }, params: { agent_id: id } }, context) => {
      const template = findTemplate(id);
      if (template !== undefined) return (await templatePresenter(context, orgId, [template]))(template);
      return presentAgent(context, await withOrgTransaction(context.database, orgId, (em) => getAgent(em, id)));
    },
  }),
  showPrompt,
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/agents',
    operationId: 'createAgent',
    summary: 'Create an agent',
    description:
      'Only the name is required. To clone a template or an agent, send its fields under a new name; whatever its `missing` lists is left out of the clone. Without `tools` or `skills` the agent inherits those of its persona; `left_out` lists the ones that it did not get.',
    body: newAgentSchema,
    errors: [404, 409],
    response: { status: 201, schema: agentSchema },
    handler: async ({ caller, body }, context) => {
      const { missing, ...given } = toFields(newAgentSchema, body);
      const deps = { ...context, isToolKey, isBuiltin };
      const { agent, leftOut } = await createAgent(deps, caller, withoutMissing(given, missing));
      return presentAgent(context, agent, leftOut);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/agents/{agent_id}',
    operationId: 'updateAgent',
    summary: 'Change an agent; only the given fields change',
    body: agentChangesSchema,
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller, params: { agent_id: id }, body, expectedVersions: expected }, context) => {
      const { missing: _missing, ...changes } = toFields(agentChangesSchema, body);
      const deps = { ...context, isToolKey, isBuiltin };
      return presentAgent(context, await updateAgent(deps, caller, { id, expected }, changes));
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/agents/{agent_id}',
    operationId: 'deleteAgent',
    summary: 'Delete an agent; it can be restored',
    description: 'Its chats stay readable.',
    response: { status: 204 },
    handler: async ({ caller, params: { agent_id: id }, expectedVersions: expected }, { database }) =>
      deleteAgent({ database, isBuiltin }, caller, { id, expected }),
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/agents/{agent_id}/restore',
    action: 'restore',
    operationId: 'restoreAgent',
    summary: 'Restore a deleted agent',
    errors: [409],
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller, params: { agent_id: id }, expectedVersions: expected }, context) =>
      presentAgent(context, await restoreAgent(context, caller, { id, expected })),
  }),
];
