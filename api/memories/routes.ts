import { z } from 'zod';
import { MEMORY_DEFAULTS, MEMORY_TYPES, memoryContent, memoryPriority, memoryTags } from '../../domain/memories.ts';
import { pageQuery, timestamp } from '../http/fields.ts';
import { requireMayDirect } from '../../db/agents/may-direct.ts';
import { addMemory, deleteMemory, getMemory, listMemories, updateMemory } from '../../db/memories.ts';
import { defineRoute } from '../http/define-route.ts';
import { present, toFields } from '../../domain/core/record-names.ts';

const fields = {
  content: memoryContent,
  type: z.enum(MEMORY_TYPES),
  tags: memoryTags.meta({ description: 'Keywords to find it by' }),
  priority: memoryPriority.meta({ description: '5 is the most important' }),
};

const newMemorySchema = z
  .strictObject({
    content: fields.content,
    type: fields.type.default(MEMORY_DEFAULTS.type),
    tags: fields.tags.default(MEMORY_DEFAULTS.tags),
    priority: fields.priority.default(MEMORY_DEFAULTS.priority),
  })
  .meta({
    id: 'MemoryCreate',
    examples: [{ content: 'Reports go out on Fridays.', type: 'instruction', priority: 5 }],
  });

const memoryChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'MemoryUpdate', examples: [{ priority: 1 }] });

const memorySchema = z
  .object({ id: z.uuid(), agent_id: z.uuid(), ...fields, created_at: timestamp, updated_at: timestamp })
  .meta({ id: 'AgentMemory' });

const view = { resource: 'memories', access: 'memory.view', tag: 'Memories' } as const;
const manage = { resource: 'memories', access: 'memory.manage', tag: 'Memories' } as const;

export const memoryRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/{agent_id}/memories',
    operationId: 'listMemories',
    summary: 'List the memories of an agent, oldest first',
    query: pageQuery,
    response: { status: 200, schema: memorySchema.array() },
    handler: async ({ caller, params: { agent_id: agentId }, query, answerPage }, { database }) => {
      const memories = await listMemories(database, { orgId: caller.orgId, agentId }, query);
      return answerPage(memories).map((memory) => present(memorySchema, memory, { agentId }));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/agents/{agent_id}/memories/{memory_id}',
    operationId: 'getMemory',
    summary: 'Get a memory of an agent',
    response: { status: 200, schema: memorySchema },
    handler: async ({ caller, params: { agent_id: agentId, memory_id: id } }, { database }) => {
      const memory = await getMemory(database, { orgId: caller.orgId, agentId }, id);
      return present(memorySchema, memory, { agentId });
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/agents/{agent_id}/memories',
    operationId: 'createMemory',
    summary: 'Add a memory to an agent',
    body: newMemorySchema,
    errors: [409],
    response: { status: 201, schema: memorySchema },
    handler: async ({ caller, params: { agent_id: agentId }, body }, context) => {
      await requireMayDirect(context.database, caller, { by: 'agent', names: [agentId] });
      const fields = toFields(newMemorySchema, body);
      const memory = await addMemory(context.database, { orgId: caller.orgId, agentId }, fields);
      return present(memorySchema, memory, { agentId });
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/agents/{agent_id}/memories/{memory_id}',
    operationId: 'updateMemory',
    summary: 'Change a memory; only the given fields change',
    body: memoryChangesSchema,
    response: { status: 200, schema: memorySchema },
    handler: async ({ caller, params: { agent_id: agentId, memory_id: id }, body, expectedVersions }, context) => {
      await requireMayDirect(context.database, caller, { by: 'agent', names: [agentId] });
      const changes = { ...toFields(memoryChangesSchema, body), expectedVersions };
      const memory = await updateMemory(context.database, { orgId: caller.orgId, agentId }, id, changes);
      return present(memorySchema, memory, { agentId });
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/agents/{agent_id}/memories/{memory_id}',
    operationId: 'deleteMemory',
    summary: 'Delete a memory',
    response: { status: 204 },
    handler: async ({ caller, params: { agent_id: agentId, memory_id: id }, expectedVersions }, context) => {
      await requireMayDirect(context.database, caller, { by: 'agent', names: [agentId] });
      await deleteMemory(context.database, { orgId: caller.orgId, agentId }, id, expectedVersions);
    },
  }),
];
