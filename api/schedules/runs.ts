import { getScheduleRun, listScheduleRuns, requestScheduleRunInterrupt } from '../../db/schedules/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { agentBoundOf } from '../agent-workflows/index.ts';
import { shownRunDeliveries } from '../destinations/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { beginRuns } from './begin-runs.ts';
import { scheduleRunDetailsSchema, scheduleRunSchema, scheduleRunsQuery } from './schema.ts';

const ofRun = { resource: 'schedule_runs', tag: 'Schedules' } as const;
const params = idParams('run_id');
const response = { status: 200, schema: scheduleRunSchema } as const;

export const scheduleRunRoutes = [
  defineRoute({
    ...ofRun,
    access: 'schedules.view',
    method: 'get',
    path: '/api/schedules/{schedule_id}/runs',
    operationId: 'listScheduleRuns',
    summary: 'The runs of a schedule whose agent you may use, newest first',
    params: idParams('schedule_id'),
    query: scheduleRunsQuery,
    response: { status: 200, schema: scheduleRunSchema.array() },
    handler: async ({ caller, params: { schedule_id: id }, query, answerPage }, { database }) => {
      const { triggered_by: triggeredBy, ...page } = query;
      const wanted = { ...page, ...agentBoundOf(caller), triggeredBy };
      return answerPage(await listScheduleRuns(database, caller.orgId, id, wanted)).map(presenter(scheduleRunSchema));
    },
  }),
  defineRoute({
    ...ofRun,
    access: 'schedules.view',
    method: 'get',
    path: '/api/schedules/runs/{run_id}',
    operationId: 'getScheduleRun',
    summary: 'One run of a schedule, with its deliveries',
    params,
    response: { status: 200, schema: scheduleRunDetailsSchema },
    handler: async ({ caller, params: { run_id: runId } }, context) => {
      const { orgId } = caller;
      const run = await getScheduleRun(context.database, orgId, { runId, ...agentBoundOf(caller) });
      return present(scheduleRunDetailsSchema, run, await shownRunDeliveries(context, orgId, runId));
    },
  }),
  defineRoute({
    ...ofRun,
    access: 'schedules.manage',
    method: 'post',
    path: '/api/schedules/runs/{run_id}/interrupt',
    action: 'interrupt',
    operationId: 'interruptScheduleRun',
    summary: 'Stop a run of a schedule',
    description:
      'Its turn stops, with its sub-agents. The response confirms the request; shortly after, the run has failed, and says that it was stopped. 409 when it has ended.',
    params,
    response,
    handler: async ({ caller, params: { run_id: runId } }, context) => {
      const { orgId } = caller;
      const ref = { runId, ...agentBoundOf(caller) };
      await requestScheduleRunInterrupt(context.database, orgId, ref);
      await beginRuns(context, orgId, [runId]);
      return present(scheduleRunSchema, await getScheduleRun(context.database, orgId, ref));
    },
  }),
];
