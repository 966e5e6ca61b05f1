import { getAgentWorkflow } from '../../db/agent-workflows/agent-workflows.ts';
import { getOwnChat, lockOwnChat } from '../../db/chats/chat.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { getSchedule } from '../../db/schedules/schedules.ts';
import { listDeliveries, redeliver } from '../../db/webhooks/deliveries.ts';
import { setWebhook } from '../../db/webhooks/set-webhook.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { agentBoundOf } from '../agent-workflows/runs.ts';
import { asOwner } from '../chats/own-chat.ts';
import { chatSchema, presentChat } from '../chats/schema.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { chatWebhookSchema, checkWebhookUrl, deliveriesQuery, deliverySchema } from './schema.ts';

const ownerOf = ({ orgId }: OrgCaller, id: string) => ({ orgId, kind: 'chat', id }) as const;

const chatWebhookRoutes = [
  defineRoute({
    resource: 'chats',
    access: 'webhooks.manage',
    tag: 'Chats',
    method: 'patch',
    path: '/api/chats/{chat_id}/webhook',
    action: 'webhook',
    operationId: 'setChatWebhook',
    summary: 'Set the webhook that is notified of each message of the agent, or remove it with null',
    description:
      'A signed POST is sent for each answer, in order, and retried for three days. Setting it again resumes a paused webhook. With null, its deliveries are deleted. 409 for the chat of a sub-agent.',
    body: chatWebhookSchema,
    errors: [409],
    response: { status: 200, schema: chatSchema },
    handler: async ({ caller, params: { chat_id: id }, body }, context) => {
      const { database, box } = context;
      const { orgId, userId } = caller;
      const set = async () => {
        await withOrgTransaction(database, orgId, async (em) => {
          await lockOwnChat(em, userId, id);
          checkWebhookUrl(context, body.url, 'url');
          await setWebhook(em, box, ownerOf(caller, id), { userId, ...body });
        });
        return getOwnChat(database, caller, id);
      };
      return presentChat(context, caller, await asOwner(context, caller, id, set));
    },
  }),
  defineRoute({
    resource: 'webhook_deliveries',
    access: 'webhooks.view',
    tag: 'Chats',
    method: 'get',
    path: '/api/chats/{chat_id}/webhook/deliveries',
    operationId: 'listChatWebhookDeliveries',
    summary: "List the sent and queued deliveries of your chat's webhook, newest first",
    query: deliveriesQuery,
    response: { status: 200, schema: deliverySchema.array() },
    handler: async ({ caller, params: { chat_id: id }, query, answerPage }, context) => {
      const { database } = context;
      await asOwner(context, caller, id, async () => getOwnChat(database, caller, id));
      return answerPage(await listDeliveries(database, ownerOf(caller, id), query)).map(presenter(deliverySchema));
    },
  }),
  defineRoute({
    resource: 'webhook_deliveries',
    access: 'webhooks.manage',
    tag: 'Chats',
    method: 'post',
    path: '/api/chats/{chat_id}/webhook/deliveries/{delivery_id}/redeliver',
    action: 'redeliver',
    operationId: 'redeliverChatWebhook',
    summary: 'Redeliver immediately; resumes a paused webhook',
    response: { status: 202, schema: deliverySchema },
    handler: async ({ caller, params: { chat_id: id, delivery_id: deliveryId } }, context) => {
      const { database } = context;
      await asOwner(context, caller, id, async () => getOwnChat(database, caller, id));
      return present(deliverySchema, await redeliver(database, ownerOf(caller, id), deliveryId));
    },
  }),
];

const ofWorkflow = { resource: 'workflows', tag: 'Workflows' } as const;
const ofSchedule = { resource: 'schedules', tag: 'Schedules' } as const;
const listed = { method: 'get', action: 'deliveries', access: 'schedules.view', query: deliveriesQuery } as const;
const made = { method: 'post', action: 'redeliver', access: 'schedules.manage' } as const;
const LIST = 'List the sent and queued deliveries to `notify_url`, newest first';
const REDELIVER = 'Redeliver immediately; resumes a paused `notify_url`';

const runDeliveryRoutes = [
  defineRoute({
    ...ofWorkflow,
    ...listed,
    path: '/api/workflows/{workflow_id}/deliveries',
    operationId: 'listWorkflowDeliveries',
    summary: LIST,
    response: { status: 200, schema: deliverySchema.array() },
    handler: async ({ caller, params: { workflow_id: id }, query, answerPage }, { database }) => {
      const owner = await visibleWorkflow(database, caller, id);
      return answerPage(await listDeliveries(database, owner, query)).map(presenter(deliverySchema));
    },
  }),
  defineRoute({
    ...ofWorkflow,
    ...made,
    path: '/api/workflows/{workflow_id}/deliveries/{delivery_id}/redeliver',
    operationId: 'redeliverWorkflowDelivery',
    summary: REDELIVER,
    response: { status: 202, schema: deliverySchema },
    handler: async ({ caller, params: { workflow_id: id, delivery_id: deliveryId } }, { database }) =>
      present(deliverySchema, await redeliver(database, await visibleWorkflow(database, caller, id), deliveryId)),
  }),
  defineRoute({
    ...ofSchedule,
    ...listed,
    path: '/api/schedules/{schedule_id}/deliveries',
    operationId: 'listScheduleDeliveries',
    summary: LIST,
    response: { status: 200, schema: deliverySchema.array() },
    handler: async ({ caller, params: { schedule_id: id }, query, answerPage }, { database }) => {
      const owner = await visibleSchedule(database, caller, id);
      return answerPage(await listDeliveries(database, owner, query)).map(presenter(deliverySchema));
    },
  }),
  defineRoute({
    ...ofSchedule,
    ...made,
    path: '/api/schedules/{schedule_id}/deliveries/{delivery_id}/redeliver',
    operationId: 'redeliverScheduleDelivery',
    summary: REDELIVER,
    response: { status: 202, schema: deliverySchema },
    handler: async ({ caller, params: { schedule_id: id, delivery_id: deliveryId } }, { database }) =>
      present(deliverySchema, await redeliver(database, await visibleSchedule(database, caller, id), deliveryId)),
  }),
];

export const webhookRoutes = [...chatWebhookRoutes, ...runDeliveryRoutes];

async function visibleWorkflow(database: ApiContext['database'], caller: OrgCaller, id: string) {
  const { orgId } = caller;
  await withOrgTransaction(database, orgId, async (em) => getAgentWorkflow(em, { id, ...agentBoundOf(caller) }));
  return { orgId, kind: 'workflow', id } as const;
}

async function visibleSchedule(database: ApiContext['database'], caller: OrgCaller, id: string) {
  const { orgId } = caller;
  await withOrgTransaction(database, orgId, async (em) => getSchedule(em, { id, ...agentBoundOf(caller) }));
  return { orgId, kind: 'schedule', id } as const;
}
