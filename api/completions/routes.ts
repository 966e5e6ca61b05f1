import { z } from 'zod';
import { type ChatModel, findChatModel, listChatModels } from '../../db/agents/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { nameText } from '../../domain/core/text.ts';
import { allowedIds } from '../../domain/permissions/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { createCompletionRoute } from './create-completion.ts';
import { modelListSchema, modelSchema } from './schema.ts';

const head = { method: 'get', resource: 'agents', access: 'agents.view', tag: 'OpenAI-compatible' } as const;
const MS = 1_000;

export const completionRoutes = [
  defineRoute({
    ...head,
    path: '/v1/models',
    operationId: 'listChatModels',
    summary: 'The agents that you may write to, as models',
    response: { status: 200, schema: modelListSchema },
    handler: async ({ caller: { orgId, policy } }, { database }) => {
      const models = await listChatModels(database, orgId, { allowedIds: allowedIds(policy, 'agentIds') });
      return { object: 'list' as const, data: models.map(presentModel) };
    },
  }),
  defineRoute({
    ...head,
    path: '/v1/models/{model}',
    operationId: 'getChatModel',
    summary: 'One agent as a model',
    params: z.object({ model: nameText().meta({ description: 'The name of an agent, or its id' }) }),
    response: { status: 200, schema: modelSchema },
    handler: async ({ caller: { orgId, policy }, params: { model } }, { database }) => {
      const found = await findChatModel(database, orgId, { model, allowedIds: allowedIds(policy, 'agentIds') });
      if (found === undefined) throw notFound('Model');
      return presentModel(found);
    },
  }),
  createCompletionRoute,
];

function presentModel({ id, name, createdAt, isNameShared }: ChatModel): z.input<typeof modelSchema> {
  const created = Math.floor(createdAt.getTime() / MS);
  return { id: isNameShared ? id : name, object: 'model', created, owned_by: 'everturn' };
}
