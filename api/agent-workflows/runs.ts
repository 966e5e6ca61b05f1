import { advanceRun, getRun, listRuns, requestRunInterrupt } from '../../db/agent-workflows/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import type { ApiContext } from '../context/api-context.ts';
import { shownRunDeliveries } from '../destinations/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { agentBoundOf } from './rules.ts';
import { runDetailsSchema, runSchema, runsQuery } from './schema.ts';

const ofRun = { resource: 'workflow_runs', tag: 'Workflows' } as const;
const params = idParams('workflow_id', 'run_id');

export const runRoutes = [
  defineRoute({
    ...ofRun,
    access: 'schedules.view',
    method: 'get',
    path: '/api/workflows/{workflow_id}/runs',
    operationId: 'listWorkflowRuns',
    summary: 'The runs of a workflow whose agents you may use, newest first',
    params: idParams('workflow_id'),
    query: runsQuery,
    response: { status: 200, schema: runSchema.array() },
    handler: async ({ caller, params: { workflow_id: id }, query, answerPage }, { database }) => {
      const { triggered_by: triggeredBy, ...page } = query;
      const wanted = { ...page, ...agentBoundOf(caller), triggeredBy };
      return answerPage(await listRuns(database, caller.orgId, id, wanted)).map(presenter(runSchema));
    },
  }),
  defineRoute({
    ...ofRun,
    access: 'schedules.view',
    method: 'get',
    path: '/api/workflows/{workflow_id}/runs/{run_id}',
    operationId: 'getWorkflowRun',
    summary: 'One run, with its steps and its deliveries',
    params,
    response: { status: 200, schema: runDetailsSchema },
    handler: async ({ caller, params: { workflow_id: workflowId, run_id: runId } }, context) =>
      showRun(context, caller.orgId, { workflowId, runId, ...agentBoundOf(caller) }),
  }),
  defineRoute({
    ...ofRun,
    access: 'schedules.manage',
    method: 'post',
    path: '/api/workflows/{workflow_id}/runs/{run_id}/interrupt',
    action: 'interrupt',
    operationId: 'interruptWorkflowRun',
    summary: 'Stop a run',
    description:
      'Its turn stops, with its sub-agents, and no further step begins. The response confirms the request; shortly after, the run is `interrupted`. 409 when it has ended.',
    params,
    response: { status: 200, schema: runDetailsSchema },
    handler: async ({ caller, params: { workflow_id: workflowId, run_id: runId } }, context) => {
      const { database } = context;
      const { orgId } = caller;
      const ref = { workflowId, runId, ...agentBoundOf(caller) };
      await requestRunInterrupt(database, orgId, ref);
      await advanceRun(context, { orgId, runId });
      return showRun(context, orgId, ref);
    },
  }),
];

async function showRun(context: ApiContext, orgId: string, ref: Parameters<typeof getRun>[2]) {
  const run = await getRun(context.database, orgId, ref);
  return present(runDetailsSchema, run, await shownRunDeliveries(context, orgId, ref.runId));
}
