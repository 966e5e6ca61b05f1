import type { z } from 'zod';
import { runReportsOf, setRunReports } from '../../db/destinations/run-reports.ts';
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  type ScheduleFields,
  setScheduleActive,
  type ShownSchedule,
  updateSchedule,
} from '../../db/schedules/schedules.ts';
import { readLastRuns } from '../../db/schedules/runs.ts';
import { setWebhook, webhooksOf } from '../../db/webhooks/set-webhook.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { setsAny } from '../../domain/resources.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { checkWebhookUrl, shownNotify } from '../webhooks/schema.ts';
import { newScheduleSchema, scheduleChangesSchema, scheduleSchema } from './schema.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { agentBoundOf, checkMaySetWebhooks } from '../agent-workflows/runs.ts';
import { checkRunReports } from '../destinations/run-reports.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { backfillScheduleRoute, nextTimesRoute, scheduleRunRoutes, triggerScheduleRoute } from './runs.ts';

/** Returns schedules as the API shows them to somebody. */
async function presentSchedules(
  { database }: Pick<ApiContext, 'database'>,
  { orgId, policy }: OrgCaller,
  schedules: readonly ShownSchedule[],
): Promise<z.input<typeof scheduleSchema>[]> {
  const ids = schedules.map(({ id }) => id);
  const [lastRuns, webhooks, reports] = await Promise.all([
    readLastRuns(database, orgId, ids),
    webhooksOf(database, orgId, 'schedule', ids),
    runReportsOf(database, orgId, 'schedule', ids),
  ]);
  return schedules.map((each) => {
    const notify = shownNotify({ policy }, webhooks.get(each.id));
    return present(scheduleSchema, each, {
      lastRun: lastRuns.get(each.id) ?? null,
      deliveries: reports.get(each.id) ?? [],
      ...notify,
    });
  });
}

/** Returns a schedule as the API shows it to somebody. */
async function presentSchedule(
  context: Pick<ApiContext, 'database'>,
  caller: OrgCaller,
  schedule: ShownSchedule,
): Promise<z.input<typeof scheduleSchema>> {
  const [shown] = await presentSchedules(context, caller, [schedule]);
  if (shown === undefined) throw new Error('a schedule was not shown');
  return shown;
}

const view = { resource: 'schedules', access: 'schedules.view', tag: 'Schedules' } as const;
const manage = { resource: 'schedules', access: 'schedules.manage', tag: 'Schedules' } as const;
const params = idParams('schedule_id');
const response = { status: 200, schema: scheduleSchema } as const;

export const scheduleRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/schedules',
    operationId: 'listSchedules',
    summary: 'List the schedules of the organization whose agents you may use, oldest first',
    query: pageQuery,
    response: { status: 200, schema: scheduleSchema.array() },
    handler: async ({ caller, query, answerPage }, context) => {
      const page = { ...query, ...agentBoundOf(caller) };
      return presentSchedules(context, caller, answerPage(await listSchedules(context.database, caller.orgId, page)));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/schedules/{schedule_id}',
    operationId: 'getSchedule',
    summary: 'Get a schedule',
    response,
    handler: async ({ caller, params: { schedule_id: id } }, context) => {
      const schedule = await withOrgTransaction(context.database, caller.orgId, async (em) =>
        getSchedule(em, { id, ...agentBoundOf(caller) }),
      );
      return presentSchedule(context, caller, schedule);
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/schedules',
    operationId: 'createSchedule',
    summary: 'Add a schedule; it is active immediately unless `is_active` is false or it has no agent',
    description:
      'Its runs are started in your name. 422 names the field when the times are invalid or none of them is in the future.',
    body: newScheduleSchema,
    errors: [404, 409],
    response: { status: 201, schema: scheduleSchema },
    handler: async ({ caller, body }, context) => {
      const { database, box, orgLimits } = context;
      const { orgId, userId } = caller;
      const { notifyUrl: url, notifySecret: secret, deliveries, ...fields } = toFields(newScheduleSchema, body);
      const actor = { orgId, userId, ...agentBoundOf(caller) };
      const created = await withOrgTransaction(database, orgId, async (em) => {
        const added = await createSchedule(em, actor, withDates(fields), orgLimits);
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { notifyUrl: url ?? undefined, notifySecret: secret ?? undefined });
        await em.flush();
        await setWebhook(em, box, { orgId, kind: 'schedule', id: added.id }, { userId, url, secret });
        checkRunReports(caller, deliveries);
        await setRunReports(em, { orgId, userId, kind: 'schedule', id: added.id }, deliveries);
        return added;
      });
      return presentSchedule(context, caller, created);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/schedules/{schedule_id}',
    operationId: 'updateSchedule',
    summary: 'Change a schedule; only the given fields change',
    description:
      '`cron_expr` replaces `interval_minutes`, and vice versa. Runs that have started are not affected. Whoever changes the agent, the prompt or the times becomes the owner, in whose name it starts runs. A changed `is_active` activates or deactivates it.',
    body: scheduleChangesSchema,
    response,
    handler: async ({ caller, params: { schedule_id: id }, body, expectedVersions: expected }, context) => {
      const {
        isActive,
        notifyUrl: url,
        notifySecret: secret,
        deliveries,
        ...fields
      } = toFields(scheduleChangesSchema, body);
      const { database, box } = context;
      const { orgId, userId } = caller;
      const schedule = await withOrgTransaction(database, orgId, async (em) => {
        const ref = { id, ...agentBoundOf(caller) };
        const updated = await updateSchedule(em, caller, { ...ref, expected }, withDates(fields));
        checkWebhookUrl(context, url, 'notify_url');
        checkMaySetWebhooks(caller, { notifyUrl: url, notifySecret: secret });
        await setWebhook(em, box, { orgId, kind: 'schedule', id }, { userId, url, secret });
        checkRunReports(caller, deliveries);
        await setRunReports(em, { orgId, userId, kind: 'schedule', id }, deliveries);
        // They are kept elsewhere.
        if (setsAny({ url, secret, deliveries })) updated.updatedAt = new Date();
        if (isActive === undefined || isActive === updated.isActive) return updated;
        return setScheduleActive(em, caller, ref, isActive);
      });
      return presentSchedule(context, caller, schedule);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/schedules/{schedule_id}',
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule permanently, with its runs',
    description: 'Open runs are stopped. Their conversations stay with their users.',
    response: { status: 204 },
    handler: async ({ caller, params: { schedule_id: id }, expectedVersions: expected }, { database }) =>
      withOrgTransaction(database, caller.orgId, (em) => deleteSchedule(em, { id, expected, ...agentBoundOf(caller) })),
  }),
  ...activation(),
  triggerScheduleRoute,
  nextTimesRoute,
  backfillScheduleRoute,
  ...scheduleRunRoutes,
];

function activation() {
  const variants = [
    {
      action: 'activate',
      operationId: 'activateSchedule',
      isActive: true,
      does: 'Activate a schedule: it starts runs in your name from now on; 422 when it has no agent or no times left',
    },
    {
      action: 'deactivate',
      operationId: 'deactivateSchedule',
      isActive: false,
      does: 'Deactivate it: it starts no more runs',
    },
  ] as const;
  return variants.map(({ action, operationId, isActive, does }) =>
    defineRoute({
      ...manage,
      method: 'post',
      path: `/api/schedules/{schedule_id}/${action}`,
      action,
      operationId,
      summary: does,
      params,
      response,
      handler: async ({ caller, params: { schedule_id: id }, expectedVersions: expected }, context) => {
        const ref = { id, expected, ...agentBoundOf(caller) };
        const schedule = await withOrgTransaction(context.database, caller.orgId, (em) =>
          setScheduleActive(em, caller, ref, isActive),
        );
        return presentSchedule(context, caller, schedule);
      },
    }),
  );
}

/** The times of a schedule in a request. */
interface SentTimes {
  readonly startAt?: string | null;
  readonly endAt?: string | null;
}

/** Returns the fields of a request with its times as dates; what it does not set stays unset. */
function withDates<T extends SentTimes>({
  startAt,
  endAt,
  ...fields
}: T): Omit<T, keyof SentTimes> & Partial<Pick<ScheduleFields, 'startAt' | 'endAt'>> {
  return {
    ...fields,
    ...(startAt === undefined ? {} : { startAt: dateOf(startAt) }),
    ...(endAt === undefined ? {} : { endAt: dateOf(endAt) }),
  };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
