import { backfillSchedule, triggerSchedule } from '../../db/schedules/begin-runs.ts';
import { getSchedule, lockSchedule } from '../../db/schedules/schedules.ts';
import { getScheduleRun, listScheduleRuns, requestScheduleRunInterrupt } from '../../db/schedules/runs.ts';
import { agentBoundOf } from '../agent-workflows/runs.ts';
import { deliveryKeyOf } from '../agent-workflows/trigger-workflow.ts';
import { startedRunSchema } from '../agent-workflows/schema.ts';
import { defineRoute } from '../http/define-route.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { fieldIssue } from '../http/problem.ts';
import {
  backfilledSchema,
  backfillSchema,
  nextQuery,
  nextSchema,
  scheduleRunDetailsSchema,
  scheduleRunSchema,
  scheduleRunsQuery,
  SHOWN_NEXT,
} from './schema.ts';
import { advanceRun } from '../../db/agent-workflows/decisions/decide-run.ts';
import type { ApiContext } from '../context/api-context.ts';
import { nextSlots } from '../../domain/schedules/timing.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { shownRunDeliveries } from '../destinations/run-deliveries.ts';

/** Begins runs that were stored. */
async function beginRuns(context: ApiContext, orgId: string, runIds: readonly string[]): Promise<void> {
  await Promise.all(runIds.map(async (runId) => advanceRun(context, { orgId, runId })));
}

const ofRun = { resource: 'schedule_runs', tag: 'Schedules' } as const;
const response = { status: 200, schema: scheduleRunSchema } as const;

export const scheduleRunRoutes = [
  defineRoute({
    ...ofRun,
    access: 'schedules.view',
    method: 'get',
    path: '/api/schedules/{schedule_id}/runs',
    operationId: 'listScheduleRuns',
    summary: 'List the runs of a schedule whose agent you may use, newest first',
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
    summary: 'Get a run of a schedule, with its deliveries',
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
      'Its turn and sub-agents stop. The response acknowledges the request; shortly after, the run is failed, with an `error` that says that it was stopped. 409 when it has ended.',
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

/** Starts a run by hand, in the name of the caller: with their rights, and in a chat of theirs. */
export const triggerScheduleRoute = defineRoute({
  method: 'post',
  path: '/api/schedules/{schedule_id}/trigger',
  resource: 'schedules',
  action: 'trigger',
  access: 'schedules.manage',
  takesIdempotencyKey: true,
  tag: 'Schedules',
  operationId: 'triggerSchedule',
  summary: 'Start a run of a schedule now, regardless of its times, active or not',
  description:
    'It runs in your name, even while other runs are open, and its conversation is one of your chats. With the header `Idempotency-Key`, a repeated request returns the first run. 422 when it has no agent, 409 when the organization has reached its limit of chats, messages or stored work, 429 when 1,000 runs are open.',
  response: { status: 202, schema: startedRunSchema },
  handler: async ({ caller, params: { schedule_id: id }, header }, context) => {
    const key = deliveryKeyOf(header, ['idempotency-key']);
    // Keys of different people are different ones.
    const deliveryKey = key === undefined ? undefined : `${caller.userId} ${key}`;
    const ref = { id, ...agentBoundOf(caller), deliveryKey, triggeredBy: 'manual' } as const;
    const { runId, isNew } = await triggerSchedule(context.database, caller, ref, context.orgLimits);
    if (isNew) await beginRuns(context, caller.orgId, [runId]);
    return { run_id: runId };
  },
});

export const backfillScheduleRoute = defineRoute({
  method: 'post',
  path: '/api/schedules/{schedule_id}/backfill',
  resource: 'schedules',
  action: 'backfill',
  access: 'schedules.manage',
  tag: 'Schedules',
  operationId: 'backfillSchedule',
  summary: 'Start runs for past times that had none, at most 100',
  description:
    'Both ends are included. The runs are started in your name: one after the other with the overlap `skip` or `buffer_one`, otherwise all at once. 422 when the schedule has no agent, or when there would be more than 100 runs; `detail` says how many. 409 and 429 when a limit does not allow all of them; then none is started.',
  body: backfillSchema,
  errors: [409, 429],
  response: { status: 202, schema: backfilledSchema },
  handler: async ({ caller, params: { schedule_id: id }, body }, context) => {
    const [from, to] = [new Date(body.from), new Date(body.to)];
    if (to < from) throw fieldIssue('to', 'must not be before from');
    if (to > new Date()) throw fieldIssue('to', 'must not be in the future');
    const { created, skipped, begun } = await withOrgTransaction(context.database, caller.orgId, async (em) => {
      const schedule = await lockSchedule(em, { id, ...agentBoundOf(caller) });
      return backfillSchedule(em, caller, { schedule, from, to }, context.orgLimits);
    });
    await beginRuns(context, caller.orgId, begun);
    return { created, skipped };
  },
});

export const nextTimesRoute = defineRoute({
  method: 'get',
  path: '/api/schedules/{schedule_id}/next',
  resource: 'schedules',
  access: 'schedules.view',
  tag: 'Schedules',
  operationId: 'listNextTimes',
  summary: 'Get the next times of a schedule, or those it would have if it is inactive',
  query: nextQuery,
  response: { status: 200, schema: nextSchema },
  handler: async ({ caller, params: { schedule_id: id }, query }, { database }) => {
    const schedule = await withOrgTransaction(database, caller.orgId, async (em) =>
      getSchedule(em, { id, ...agentBoundOf(caller) }),
    );
    const { nextRunAt, maxRuns, runsCount } = schedule;
    const left = maxRuns === null ? Infinity : Math.max(0, maxRuns - runsCount);
    // A time that is due at this instant is still ahead.
    const after = nextRunAt === null ? new Date() : new Date(nextRunAt.getTime() - 1);
    const times = nextSlots(schedule, after, Math.min(query.count ?? SHOWN_NEXT, left));
    return { times: times.map((time) => time.toISOString()) };
  },
});
