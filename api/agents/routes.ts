import { builtinAgents, builtinPersonas } from '../../builtin/index.ts';
import { createAgent, deleteAgent, getAgent, listAgents, restoreAgent, updateAgent } from '../../db/agents/index.ts';
import { inOrg } from '../../db/core/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { defineRoute } from '../core/define-route.ts';
import { idParams, pageQuery } from '../core/fields.ts';
import { pageOf } from '../core/page-of.ts';
import { allowedIds, requireAllowed, requireUnlisted } from '../core/require-allowed.ts';
import { checkAddedKeys } from './added-keys.ts';
import { checkAttachedServers } from './attached-servers.ts';
import {
  presentAgent,
  presentAgentListItem,
  presentPersonaType,
  presentTemplate,
  toAgentFields,
} from './present-agent.ts';
import { findTemplate, refuseTemplate, refuseUnknownPersona } from './references.ts';
import { agentChangesSchema, agentListItemSchema, agentSchema, newAgentSchema, personaTypeSchema } from './schema.ts';

const view = { access: 'agents.view', tag: 'Agents' } as const;
const manage = { access: 'agents.manage', tag: 'Agents' } as const;
const params = idParams('agent_id');

export const agentRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents',
    summary: 'The agents of the organization',
    query: pageQuery,
    response: { status: 200, schema: agentListItemSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const page = { ...query, onlyIds: allowedIds(caller, 'agentIds') };
      return answerPage(await listAgents(database, caller.orgId, page)).map(presentAgentListItem);
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/templates',
    summary: 'The agents that ship with the service, to be cloned',
    query: pageQuery,
    response: { status: 200, schema: agentSchema.array() },
    handler: async ({ query, answerPage }) => answerPage(pageOf(builtinAgents, query)).map(presentTemplate),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/types/builtin',
    summary: 'The persona types that seed new agents',
    query: pageQuery,
    response: { status: 200, schema: personaTypeSchema.array() },
    handler: async ({ query, answerPage }) => answerPage(pageOf(builtinPersonas, query)).map(presentPersonaType),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/{agent_id}',
    summary: 'One agent',
    params,
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller, params: { agent_id: id } }, { database }) => {
      const template = findTemplate(id);
      if (template !== undefined) return presentTemplate(template);
      requireAllowed(caller, 'agentIds', id);
      return presentAgent(await inOrg(database, caller.orgId, (em) => getAgent(em, id)));
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/agents',
    summary: 'Create an agent',
    body: newAgentSchema,
    errors: [404, 409],
    response: { status: 201, schema: agentSchema },
    handler: async ({ caller, body }, { database, privateHosts, orgLimits }) => {
      refuseUnknownPersona(body);
      checkAttachedServers(body, privateHosts);
      checkAddedKeys(caller, body);
      requireUnlisted(caller, 'agentIds');
      requireAllowed(caller, 'chainIds', body.provider_chain_id);
      const { orgId } = caller;
      await requireRoom(database, orgId, 'agents', orgLimits);
      return presentAgent(await inOrg(database, orgId, (em) => createAgent(em, orgId, toAgentFields(body))));
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/agents/{agent_id}',
    summary: 'Change an agent; only the given fields change',
    params,
    body: agentChangesSchema,
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller, params: { agent_id: id }, body }, { database, privateHosts }) => {
      refuseTemplate(id);
      requireAllowed(caller, 'agentIds', id);
      refuseUnknownPersona(body);
      requireAllowed(caller, 'chainIds', body.provider_chain_id);
      checkAttachedServers(body, privateHosts);
      const changed = await inOrg(database, caller.orgId, async (em) => {
        const agent = await getAgent(em, id);
        checkAddedKeys(caller, body, agent);
        return updateAgent(em, agent, toAgentFields(body));
      });
      return presentAgent(changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/agents/{agent_id}',
    summary: 'Delete an agent; it can be restored',
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { agent_id: id } }, { database }) => {
      refuseTemplate(id);
      requireAllowed(caller, 'agentIds', id);
      await inOrg(database, caller.orgId, (em) => deleteAgent(em, id));
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/agents/{agent_id}/restore',
    summary: 'Take the deletion of an agent back',
    params,
    errors: [409],
    response: { status: 200, schema: agentSchema },
    handler: async ({ caller, params: { agent_id: id } }, { database, orgLimits }) => {
      requireAllowed(caller, 'agentIds', id);
      await requireRoom(database, caller.orgId, 'agents', orgLimits, { isNew: false });
      return presentAgent(await inOrg(database, caller.orgId, (em) => restoreAgent(em, id)));
    },
  }),
];
