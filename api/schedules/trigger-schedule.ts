import { triggerSchedule } from '../../db/schedules/index.ts';
import { agentBoundOf, deliveryKeyOf, startedRunSchema } from '../agent-workflows/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { beginRuns } from './begin-runs.ts';

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
  summary: 'Start a run of a schedule now, outside of its times, active or not',
  description:
    'It runs in your name, whatever else runs, and its conversation is one of your chats. With the header `Idempotency-Key` the same request sent again answers with the first run. 422 when it has no agent, 409 when the organization has as many chats, messages or bytes of work as it may, 429 when 1,000 runs have not ended.',
  params: idParams('schedule_id'),
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
