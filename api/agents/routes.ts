import { builtinAgents, builtinPersonas, isToolKey } from '../../builtin/index.ts';
import {
  checkMayTell,
  createAgent,
  deleteAgent,
  getAgent,
  lockAgent,
  listAgents,
  restoreAgent,
  updateAgent,
} from '../../db/agents/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { knownAmong } from '../../db/definitions/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { keysOfNewAgent } from '../../domain/agents/index.ts';
import { checkKnownTools, checkMayRequireApproval } from '../approvals/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { checkMaySeeDeleted } from '../resources/check-deleted.ts';
import { idParams } from '../resources/id-fields.ts';
import { pageOf } from '../http/pages.ts';
import { checkAddedKeys } from './added-keys.ts';
import { checkAttachedServers, requireAttachedServers } from './attached-servers.ts';
import { withoutMissing } from './clone.ts';
import { showPrompt } from './show-prompt.ts';
import { presenter, toFields } from '../../domain/core/record-names.ts';
import { requireVersion } from '../../domain/resources/index.ts';
import { presentAgent, templatePresenter } from './present-agent.ts';
import {
  findTemplate,
  rejectTemplate,
  requireChosenKnowledge,
  requireNamedProfile,
  requirePersona,
} from './references.ts';
import {
  agentChangesSchema,
  agentListItemSchema,
  agentSchema,
  agentsQuery,
  newAgentSchema,
  personaTypeSchema,
} from './schema.ts';

const view = { resource: 'agents', access: 'agents.view', tag: 'Agents' } as const;
const manage = { resource: 'agents', access: 'agents.manage', tag: 'Agents' } as const;
const params = idParams('agent_id');

export const agentRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents',
    operationId: 'listAgents',
    summary: 'The agents of the organization, or those that use a record',
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
    summary: 'The agents that ship with the service, as templates to clone',
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
    summary: 'The persona types that seed new agents',
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
    summary: 'One agent',
    params,
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
      'Only the name is required. To clone a template or an agent, send its fields under a new name; what its `missing` names is left out of the clone. Without `tools` or `skills` it takes over those of its persona; `left_out` says which of them it was not given.',
    body: newAgentSchema,
    errors: [404, 409],
    response: { status: 201, schema: agentSchema },
    handler: async ({ caller, body }, context) => {
      const { database, definitions, privateHosts, orgLimits } = context;
      const { orgId } = caller;
      const { missing, ...given } = toFields(newAgentSchema, body);
      const fields = withoutMissing(given, missing);
      const persona = await requirePersona(definitions, orgId, fields.personaId);
      checkMayRequireApproval(caller, {}, fields.requiresApproval);
      checkAttachedServers(fields, privateHosts);
      const { tools = persona?.defaultTools, skills = persona?.defaultSkills } = fields;
      const { requiresApproval: modes } = fields;
      const known = await knownAmong(definitions, orgId, { tools, skills, modes, isToolKey });
      checkAddedKeys(caller, { wanted: fields, known });
      checkKnownTools({}, modes, known.tools);
      const { leftOut, ...keys } = keysOfNewAgent(caller.policy, fields, persona, known);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'agents', orgLimits);
        await requireAttachedServers(em, caller, fields);
        await requireChosenKnowledge(em, caller, fields.knowledgeBaseIds);
        await requireNamedProfile(em, fields.modelPref);
        return createAgent(em, orgId, { ...fields, ...keys });
      });
      return presentAgent(context, created, leftOut);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/agents/{agent_id}',
    operationId: 'updateAgent',
    summary: 'Change an agent; only the given fields change',
    params,
    body: agentChangesSchema,
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller, params: { agent_id: id }, body, expectedVersions }, context) => {
      const { database, definitions, privateHosts } = context;
      rejectTemplate(id);
      const { orgId } = caller;
      const { missing: _missing, ...changes } = toFields(agentChangesSchema, body);
      checkAttachedServers(body, privateHosts);
      const modes = changes.requiresApproval;
      const known = await knownAmong(definitions, orgId, { ...body, modes, isToolKey });
      const changed = await withOrgTransaction(database, orgId, async (em) => {
        const agent = await lockAgent(em, id);
        requireVersion(agent, expectedVersions);
        if (changes.personaId !== agent.personaId) await requirePersona(definitions, orgId, changes.personaId);
        checkAddedKeys(caller, { wanted: body, present: agent, known });
        checkMayTell(caller.policy, agent, changes);
        checkMayRequireApproval(caller, agent.requiresApproval, modes);
        checkKnownTools(agent.requiresApproval, modes, known.tools);
        await requireAttachedServers(em, caller, body, agent.mcps);
        await requireChosenKnowledge(em, caller, changes.knowledgeBaseIds, agent.knowledgeBaseIds);
        if (changes.modelPref !== agent.modelPref) await requireNamedProfile(em, changes.modelPref);
        return updateAgent(em, agent, changes);
      });
      return presentAgent(context, changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/agents/{agent_id}',
    operationId: 'deleteAgent',
    summary: 'Delete an agent; it can be restored',
    description: 'Its chats stay readable.',
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { agent_id: id }, expectedVersions }, { database }) => {
      rejectTemplate(id);
      await withOrgTransaction(database, caller.orgId, async (em) => {
        requireVersion(await lockAgent(em, id), expectedVersions);
        await deleteAgent(em, id, caller.userId);
      });
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/agents/{agent_id}/restore',
    action: 'restore',
    operationId: 'restoreAgent',
    summary: 'Restore a deleted agent',
    params,
    errors: [409],
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller, params: { agent_id: id }, expectedVersions }, context) => {
      const restored = await withOrgTransaction(context.database, caller.orgId, async (em) => {
        await requireRoom(em, caller.orgId, 'agents', context.orgLimits, { isNew: false });
        return restoreAgent(em, id, expectedVersions);
      });
      return presentAgent(context, restored);
    },
  }),
];
