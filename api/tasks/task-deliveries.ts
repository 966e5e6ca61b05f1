import { withOrgTransaction } from '../../db/core/transactions.ts';
import { setRunReports } from '../../db/destinations/run-reports.ts';
import { lockOwnTask } from '../../db/tasks/change-task.ts';
import { resendReport } from '../../db/webhooks/run-deliveries.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { checkTurnReports, requireMayUse } from '../destinations/run-reports.ts';
import {
  presentTurnDeliveries,
  shownTurnDeliveriesSchema,
  turnDeliveriesSchema,
} from '../destinations/turn-deliveries.ts';
import { RESEND, runDeliverySchema } from '../destinations/run-deliveries.ts';
import { defineRoute } from '../http/define-route.ts';
import { changeOwn, requireOwnTask } from './own-task.ts';

const ofTask = { resource: 'tasks', tag: 'Tasks' } as const;
const PATH = '/api/tasks/{task_id}/deliveries';

export const taskDeliveryRoutes = [
  defineRoute({
    ...ofTask,
    access: 'tasks.view',
    method: 'get',
    path: PATH,
    action: 'deliveries',
    operationId: 'getTaskDeliveries',
    summary: 'Get where the attempts at your task are reported, and the reports sent so far',
    response: { status: 200, schema: shownTurnDeliveriesSchema },
    handler: async ({ caller, params: { task_id: id } }, context) => {
      await requireOwnTask(context, caller, id);
      return presentTurnDeliveries(context.database, caller.orgId, { kind: 'task', id });
    },
  }),
  defineRoute({
    ...ofTask,
    access: 'tasks.manage',
    method: 'put',
    path: PATH,
    action: 'deliveries',
    operationId: 'setTaskDeliveries',
    summary: 'Set where the end of each attempt at your task is reported',
    description: 'Also requires `integrations.view`. 409 for the task of a sub-agent.',
    body: turnDeliveriesSchema,
    errors: [409],
    response: { status: 200, schema: shownTurnDeliveriesSchema },
    handler: async ({ caller, params: { task_id: id }, body }, context) => {
      const { database } = context;
      const { orgId, userId } = caller;
      const { deliveries } = toFields(turnDeliveriesSchema, body);
      await changeOwn(context, caller, id, async () =>
        withOrgTransaction(database, orgId, async (em) => {
          await lockOwnTask(em, caller, id);
          checkTurnReports(caller, deliveries);
          await setRunReports(em, { orgId, userId, kind: 'task', id }, deliveries);
        }),
      );
      return presentTurnDeliveries(database, orgId, { kind: 'task', id });
    },
  }),
  defineRoute({
    ...ofTask,
    ...RESEND,
    access: 'tasks.manage',
    path: `${PATH}/{delivery_id}/resend`,
    operationId: 'resendTaskReport',
    summary: 'Resend a report of an attempt at your task to its destination immediately',
    handler: async ({ caller, params: { task_id: id, delivery_id: deliveryId } }, context) => {
      const { orgId, userId } = caller;
      await requireOwnTask(context, caller, id);
      requireMayUse(caller);
      const of = { kind: 'task', id } as const;
      return present(runDeliverySchema, await resendReport(context.database, { orgId, userId, of }, deliveryId));
    },
  }),
];
