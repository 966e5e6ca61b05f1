import { withOrgTransaction } from '../../db/core/index.ts';
import { getSchedule } from '../../db/schedules/index.ts';
import { nextSlots } from '../../domain/schedules/index.ts';
import { agentBoundOf } from '../agent-workflows/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { nextQuery, nextSchema, SHOWN_NEXT } from './schema.ts';

export const nextTimesRoute = defineRoute({
  method: 'get',
  path: '/api/schedules/{schedule_id}/next',
  resource: 'schedules',
  access: 'schedules.view',
  tag: 'Schedules',
  operationId: 'listNextTimes',
  summary: 'The next times of a schedule; of one that is not active, those that it would have',
  params: idParams('schedule_id'),
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
