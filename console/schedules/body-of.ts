import type { ScheduleChanges } from './queries.ts';
import type { ScheduleValues } from './schedule-form.tsx';

/** Returns what is sent of values: a number that was emptied and has no meaning without one is left as it is. */
export function bodyOf(values: Partial<ScheduleValues>): ScheduleChanges {
  const { catchup_minutes: catchup, jitter_seconds: jitter, keep_runs_days: keep, ...rest } = values;
  return {
    ...rest,
    ...(typeof catchup === 'number' && { catchup_minutes: catchup }),
    ...(typeof jitter === 'number' && { jitter_seconds: jitter }),
    ...(typeof keep === 'number' && { keep_runs_days: keep }),
  };
}
