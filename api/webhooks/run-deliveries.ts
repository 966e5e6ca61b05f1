import { getAgentWorkflow } from '../../db/agent-workflows/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { getSchedule } from '../../db/schedules/index.ts';
import { listDeliveries, redeliver } from '../../db/webhooks/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { agentBoundOf } from '../agent-workflows/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { deliveriesQuery, deliverySchema } from './schema.ts';

const ofWorkflow = { resource: 'workflows', tag: 'Workflows' } as const;
const ofSchedule = { resource: 'schedules', tag: 'Schedules' } as const;
const listed = { method: 'get', action: 'deliveries', access: 'schedules.view', query: deliveriesQuery } as const;
const made = { method: 'post', action: 'redeliver', access: 'schedules.manage' } as const;
const LIST = 'What `notify_url` was told, and is to be told, newest first';
const REDELIVER = 'Deliver something again, at once; resumes a `notify_url` that is paused';

export const runDeliveryRoutes = [
  defineRoute({
    ...ofWorkflow,
    ...listed,
    path: '/api/workflows/{workflow_id}/deliveries',
    operationId: 'listWorkflowDeliveries',
    summary: LIST,
    params: idParams('workflow_id'),
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
    params: idParams('workflow_id', 'delivery_id'),
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
    params: idParams('schedule_id'),
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
    params: idParams('schedule_id', 'delivery_id'),
    response: { status: 202, schema: deliverySchema },
    handler: async ({ caller, params: { schedule_id: id, delivery_id: deliveryId } }, { database }) =>
      present(deliverySchema, await redeliver(database, await visibleSchedule(database, caller, id), deliveryId)),
  }),
];

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
