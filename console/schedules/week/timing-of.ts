import type { Timing } from '../../../domain/schedules/index.ts';
import type { Schedule } from '../queries.ts';

/** Returns when a schedule fires, for the rules of the server. */
export function timingOf(schedule: Schedule): Timing {
  const { cron_expr: cronExpr, interval_minutes: intervalMinutes, timezone, start_at: start, end_at: end } = schedule;
  const createdAt = new Date(schedule.created_at);
  const startAt = start === null ? null : new Date(start);
  const endAt = end === null ? null : new Date(end);
  return { cronExpr, intervalMinutes, timezone, createdAt, startAt, endAt };
}
