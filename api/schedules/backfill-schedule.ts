import { withOrgTransaction } from '../../db/core/index.ts';
import { backfillSchedule, lockSchedule } from '../../db/schedules/index.ts';
import { agentBoundOf } from '../agent-workflows/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { fieldIssue } from '../http/problem.ts';
import { idParams } from '../resources/id-fields.ts';
import { beginRuns } from './begin-runs.ts';
import { backfilledSchema, backfillSchema } from './schema.ts';

export const backfillScheduleRoute = defineRoute({
  method: 'post',
  path: '/api/schedules/{schedule_id}/backfill',
  resource: 'schedules',
  action: 'backfill',
  access: 'schedules.manage',
  tag: 'Schedules',
  operationId: 'backfillSchedule',
  summary: 'Start the runs of past times that have none, at most 100',
  description:
    'Both ends are included. The runs are begun in your name: one after the other with the overlap `skip` and `buffer_one`, else all at once. 422 says that it has no agent, or how many there would be when there are more than 100, and 409 and 429 that there is no room for all; then none is started.',
  params: idParams('schedule_id'),
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
