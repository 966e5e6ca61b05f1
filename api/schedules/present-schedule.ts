import type { z } from 'zod';
import { runReportsOf } from '../../db/destinations/index.ts';
import { readLastRuns, type Schedule } from '../../db/schedules/index.ts';
import { webhooksOf } from '../../db/webhooks/index.ts';
import { present } from '../../domain/core/record-names.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { shownNotify } from '../webhooks/index.ts';
import { scheduleSchema } from './schema.ts';

/** Returns schedules as the API shows them to somebody. */
export async function presentSchedules(
  { database }: Pick<ApiContext, 'database'>,
  { orgId, policy }: OrgCaller,
  schedules: readonly Schedule[],
): Promise<z.input<typeof scheduleSchema>[]> {
  const ids = schedules.map(({ id }) => id);
  const [lastRuns, told, reports] = await Promise.all([
    readLastRuns(database, orgId, ids),
    webhooksOf(database, orgId, 'schedule', ids),
    runReportsOf(database, orgId, 'schedule', ids),
  ]);
  return schedules.map((each) => {
    const notify = shownNotify({ policy }, told.get(each.id));
    return present(scheduleSchema, each, {
      lastRun: lastRuns.get(each.id) ?? null,
      deliveries: reports.get(each.id) ?? [],
      ...notify,
    });
  });
}

/** Returns a schedule as the API shows it to somebody. */
export async function presentSchedule(
  context: Pick<ApiContext, 'database'>,
  caller: OrgCaller,
  schedule: Schedule,
): Promise<z.input<typeof scheduleSchema>> {
  const [shown] = await presentSchedules(context, caller, [schedule]);
  if (shown === undefined) throw new Error('a schedule was not shown');
  return shown;
}
