import { z } from 'zod';
import { getRun } from '../../db/agent-workflows/runs/list-runs.ts';
import { getScheduleRun } from '../../db/schedules/runs.ts';
import {
  dismissUndelivered,
  listReports,
  listUndelivered,
  resendReport,
  type RunDelivery,
} from '../../db/webhooks/run-deliveries.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { DELIVERY_STATUSES } from '../../domain/webhooks.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageQuery, timestamp } from '../http/fields.ts';
import { attemptLogField } from '../webhooks/schema.ts';
import { requireMayUse } from './run-reports.ts';
import { destinationKindField } from './schema.ts';

const fields = {
  id: z.uuid().meta({ description: 'The same for all its attempts' }),
  destination_id: z.uuid(),
  destination_name: z.string(),
  kind: destinationKindField,
  status: z.enum(DELIVERY_STATUSES).meta({ id: 'DeliveryStatus' }),
  attempts: z.int(),
  error: z.string().nullable().meta({
    description:
      'Why the last attempt failed or the destination is paused; for a delivered report, the parts that were rejected and the files that are not attached',
  }),
  last_attempt_at: timestamp.nullable(),
  next_attempt_at: timestamp.nullable().meta({ description: 'Null unless an attempt is due; also null while paused' }),
  delivered_at: timestamp.nullable(),
  created_at: timestamp,
  attempt_log: attemptLogField,
};

const EXAMPLE = {
  id: EXAMPLE_ID,
  destination_id: EXAMPLE_ID,
  destination_name: 'Sales',
  kind: 'email',
  status: 'failed',
  attempts: 6,
  error: 'SMTP refuses: 550 no such user',
  last_attempt_at: EXAMPLE_TIME,
  next_attempt_at: null,
  delivered_at: null,
  created_at: EXAMPLE_TIME,
  attempt_log: [{ at: EXAMPLE_TIME, status: null, error: 'SMTP refuses: 550 no such user' }],
} as const;

export const runDeliverySchema = z.object(fields).meta({ id: 'RunDelivery', examples: [EXAMPLE] });

const undeliveredSchema = z
  .object({
    ...fields,
    run_id: z.uuid().nullable().meta({ description: 'The reported run' }),
    workflow_id: z.uuid().nullable().meta({ description: 'The workflow that ran, or did not' }),
    schedule_id: z.uuid().nullable().meta({ description: 'The schedule that ran, or did not; null for workflows' }),
    chat_id: z.uuid().nullable().meta({ description: 'The chat of the reported turn' }),
    task_id: z.uuid().nullable().meta({ description: 'The reported task' }),
    name: z.string().meta({ description: 'The name of the workflow or schedule, or the title of the chat or task' }),
  })
  .meta({
    id: 'UndeliveredReport',
    examples: [
      {
        ...EXAMPLE,
        run_id: EXAMPLE_ID,
        workflow_id: null,
        schedule_id: EXAMPLE_ID,
        chat_id: null,
        task_id: null,
        name: 'Weekly report',
      },
    ],
  });

/** Returns the deliveries of a run, which are shown with it. */
export async function shownRunDeliveries(
  { database }: Pick<ApiContext, 'database'>,
  orgId: string,
  runId: string,
): Promise<{ readonly deliveries: readonly RunDelivery[] }> {
  return { deliveries: await listReports(database, orgId, { kind: 'run', id: runId }) };
}

/** How a report is sent again, wherever that is asked for. */
export const RESEND = {
  method: 'post',
  action: 'resend',
  description:
    'The report is sent in your name, which also requires `integrations.view`. If failures have paused the destination, it resumes with all queued reports. 409 when a person has paused it.',
  errors: [409],
  response: { status: 202, schema: runDeliverySchema },
} as const;

const agentBoundOf = ({ policy }: Pick<OrgCaller, 'policy'>) => ({ allowedAgentIds: allowedIds(policy, 'agentIds') });

export const runDeliveryRoutes = [
  defineRoute({
    resource: 'workflow_runs',
    access: 'schedules.view',
    tag: 'Destinations',
    method: 'get',
    path: '/api/runs/undelivered',
    action: 'undelivered',
    operationId: 'listUndeliveredReports',
    summary: 'List the reports of your runs, schedules, chats and tasks that failed for good, newest first',
    description:
      'Includes those that wait at a destination which failures have paused. A report is listed until it is sent again or dismissed, or its run is removed.',
    query: pageQuery,
    response: { status: 200, schema: undeliveredSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listUndelivered(database, caller, query)).map(presenter(undeliveredSchema)),
  }),
  defineRoute({
    resource: 'workflow_runs',
    access: 'schedules.manage',
    tag: 'Destinations',
    method: 'post',
    path: '/api/runs/undelivered/{delivery_id}/dismiss',
    action: 'dismiss',
    operationId: 'dismissUndeliveredReport',
    summary: 'Take a report off the list of your undelivered ones',
    description:
      'It is listed again if it is sent again and fails. One that waits is sent once its destination is resumed.',
    response: { status: 204 },
    handler: async ({ caller, params: { delivery_id: deliveryId } }, { database }) =>
      dismissUndelivered(database, caller, deliveryId),
  }),
  defineRoute({
    ...RESEND,
    access: 'schedules.manage',
    resource: 'workflow_runs',
    tag: 'Workflows',
    path: '/api/workflows/{workflow_id}/runs/{run_id}/deliveries/{delivery_id}/resend',
    operationId: 'resendWorkflowReport',
    summary: 'Resend a report of a run to its destination immediately',
    handler: async ({ caller, params }, { database }) => {
      const { workflow_id: workflowId, run_id: runId, delivery_id: deliveryId } = params;
      const { orgId, userId } = caller;
      await getRun(database, orgId, { workflowId, runId, ...agentBoundOf(caller) });
      requireMayUse(caller);
      return present(
        runDeliverySchema,
        await resendReport(database, { orgId, userId, of: { kind: 'run', id: runId } }, deliveryId),
      );
    },
  }),
  defineRoute({
    ...RESEND,
    access: 'schedules.manage',
    resource: 'schedule_runs',
    tag: 'Schedules',
    path: '/api/schedules/runs/{run_id}/deliveries/{delivery_id}/resend',
    operationId: 'resendScheduleReport',
    summary: 'Resend a report of a run to its destination immediately',
    handler: async ({ caller, params: { run_id: runId, delivery_id: deliveryId } }, { database }) => {
      const { orgId, userId } = caller;
      await getScheduleRun(database, orgId, { runId, ...agentBoundOf(caller) });
      requireMayUse(caller);
      return present(
        runDeliverySchema,
        await resendReport(database, { orgId, userId, of: { kind: 'run', id: runId } }, deliveryId),
      );
    },
  }),
];
