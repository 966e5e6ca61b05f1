import { getAgentWorkflow } from '../../db/agent-workflows/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { listDeliveries, redeliver } from '../../db/webhooks/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { agentBoundOf } from '../agent-workflows/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { deliveriesQuery, deliverySchema } from './schema.ts';

export const workflowDeliveryRoutes = [
  defineRoute({
    resource: 'workflows',
    access: 'schedules.view',
    tag: 'Workflows',
    method: 'get',
    path: '/api/workflows/{workflow_id}/deliveries',
    action: 'deliveries',
    operationId: 'listWorkflowDeliveries',
    summary: 'What `notify_url` of a workflow was told, and is to be told, newest first',
    params: idParams('workflow_id'),
    query: deliveriesQuery,
    response: { status: 200, schema: deliverySchema.array() },
    handler: async ({ caller, params: { workflow_id: id }, query, answerPage }, { database }) => {
      const owner = await visibleOwner(database, caller, id);
      return answerPage(await listDeliveries(database, owner, query)).map(presenter(deliverySchema));
    },
  }),
  defineRoute({
    resource: 'workflows',
    access: 'schedules.manage',
    tag: 'Workflows',
    method: 'post',
    path: '/api/workflows/{workflow_id}/deliveries/{delivery_id}/redeliver',
    action: 'redeliver',
    operationId: 'redeliverWorkflowDelivery',
    summary: 'Deliver something again, at once; resumes a `notify_url` that is paused',
    params: idParams('workflow_id', 'delivery_id'),
    response: { status: 202, schema: deliverySchema },
    handler: async ({ caller, params: { workflow_id: id, delivery_id: deliveryId } }, { database }) =>
      present(deliverySchema, await redeliver(database, await visibleOwner(database, caller, id), deliveryId)),
  }),
];

async function visibleOwner(database: ApiContext['database'], caller: OrgCaller, id: string) {
  const { orgId } = caller;
  await withOrgTransaction(database, orgId, async (em) => getAgentWorkflow(em, { id, ...agentBoundOf(caller) }));
  return { orgId, kind: 'workflow', id } as const;
}
