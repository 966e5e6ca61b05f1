import { builtinAgents, builtinPersonas } from '../../builtin/index.ts';
import { createAgent, deleteAgent, getAgent, listAgents, restoreAgent, updateAgent } from '../../db/agents/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery, restorableQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { pageOf } from '../http/pages.ts';
import { checkAddedKeys, toolKeysFor } from './added-keys.ts';
import { checkAttachedServers, requireAttachedServers } from './attached-servers.ts';
import { missingFinder } from './missing-references.ts';
import { keysOfNewAgent } from './persona-defaults.ts';
import { showPrompt } from './show-prompt.ts';
import { presenter, toFields } from '../../domain/core/record-names.ts';
import { presentAgent, presentTemplate } from './present-agent.ts';
import { findTemplate, rejectTemplate, requirePersona } from './references.ts';
import { agentChangesSchema, agentListItemSchema, agentSchema, newAgentSchema, personaTypeSchema } from './schema.ts';

const view = { resource: 'agents', access: 'agents.view', tag: 'Agents' } as const;
const manage = { resource: 'agents', access: 'agents.manage', tag: 'Agents' } as const;
const params = idParams('agent_id');

export const agentRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents',
    operationId: 'listAgents',
    summary: 'The agents of the organization',
    query: restorableQuery,
    response: { status: 200, schema: agentListItemSchema.array() },
    handler: async ({ caller, query, allowedIds, answerPage }, { database }) => {
      return answerPage(await listAgents(database, caller.orgId, { ...query, onlyIds: allowedIds })).map(
        presenter(agentListItemSchema),
      );
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
    handler: async ({ caller, query, answerPage }, { definitions }) => {
      const missingOf = await missingFinder(definitions, caller.orgId);
      return answerPage(pageOf(builtinAgents, query)).map((agent) => presentTemplate(agent, missingOf(agent)));
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
    handler: async ({ caller, params: { agent_id: id } }, { database, definitions }) => {
      const missingOf = await missingFinder(definitions, caller.orgId);
      const template = findTemplate(id);
      if (template !== undefined) return presentTemplate(template, missingOf(template));
      const agent = await withOrgTransaction(database, caller.orgId, (em) => getAgent(em, id));
      return presentAgent(agent, missingOf(agent));
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
      'Only the name is required. To clone a template or an agent, send its fields under a new name. Without `tools` or `skills` it takes over those of its persona.',
    body: newAgentSchema,
    errors: [404, 409],
    response: { status: 201, schema: agentSchema },
    handler: async ({ caller, body }, { database, definitions, privateHosts, orgLimits }) => {
      const { orgId } = caller;
      const fields = toFields(newAgentSchema, body);
      const persona = await requirePersona(definitions, orgId, fields.personaId);
      checkAttachedServers(body, privateHosts);
      const ownTools = await toolKeysFor(definitions, orgId, { tools: body.tools ?? persona?.defaultTools });
      checkAddedKeys(caller, { wanted: body, ownTools });
      const keys = keysOfNewAgent(caller.policy, fields, persona, ownTools);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'agents', orgLimits);
        await requireAttachedServers(em, caller, body);
        return createAgent(em, orgId, { ...fields, ...keys });
      });
      const missingOf = await missingFinder(definitions, orgId);
      return presentAgent(created, missingOf(created));
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
    handler: async ({ caller, params: { agent_id: id }, body }, { database, definitions, privateHosts }) => {
      rejectTemplate(id);
      const { orgId } = caller;
      const changes = toFields(agentChangesSchema, body);
      await requirePersona(definitions, orgId, changes.personaId);
      checkAttachedServers(body, privateHosts);
      const ownTools = await toolKeysFor(definitions, orgId, body);
      const changed = await withOrgTransaction(database, orgId, async (em) => {
        const agent = await getAgent(em, id);
        checkAddedKeys(caller, { wanted: body, present: agent, ownTools });
        await requireAttachedServers(em, caller, body, agent.mcps);
        return updateAgent(em, agent, changes);
      });
      const missingOf = await missingFinder(definitions, orgId);
      return presentAgent(changed, missingOf(changed));
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
    handler: async ({ caller, params: { agent_id: id } }, { database }) => {
      rejectTemplate(id);
      await withOrgTransaction(database, caller.orgId, (em) => deleteAgent(em, id));
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
    handler: async ({ caller, params: { agent_id: id } }, { database, definitions, orgLimits }) => {
      const restored = await withOrgTransaction(database, caller.orgId, async (em) => {
        await requireRoom(em, caller.orgId, 'agents', orgLimits, { isNew: false });
        return restoreAgent(em, id);
      });
      const missingOf = await missingFinder(definitions, caller.orgId);
      return presentAgent(restored, missingOf(restored));
    },
  }),
];
