import { type Cron, readCron } from './cron.ts';
import { calendarsOf } from './cron-slots.ts';
import { spelledZone } from './time-zone.ts';
import { firstOfInterval, type Timing } from './timing.ts';

/** The times of a Temporal Schedule, as its client takes them. */
export interface ScheduleSpec {
  readonly calendars: Calendar[];
  readonly intervals: { readonly every: number; readonly offset: number }[];
  readonly timezone: string;
  readonly startAt?: Date;
  readonly endAt?: Date;
}

/** A time matches when all fields match. */
interface Calendar {
  readonly minute: number[];
  readonly hour: number[];
  readonly dayOfMonth: number[];
  readonly month: (typeof MONTHS)[number][];
  readonly dayOfWeek: (typeof WEEKDAYS)[number][];
}

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * Returns the times of a schedule for a Temporal Schedule. No cron text is sent: Temporal would read it by rules of its
 * own. Throws when the timing has an issue.
 */
export function scheduleSpecOf(timing: Timing): ScheduleSpec {
  const { timezone, intervalMinutes, startAt, endAt } = timing;
  const common = { timezone: spelledZone(timezone), ...(endAt !== null && { endAt }) };
  if (intervalMinutes !== null) {
    const [every, first] = [intervalMinutes * MINUTE_MS, firstOfInterval(timing)];
    return { ...common, calendars: [], intervals: [{ every, offset: first % every }], startAt: new Date(first) };
  }
  const cron = readCron(timing.cronExpr ?? '');
  if (typeof cron === 'string') throw new Error(`a stored cron line ${cron}`);
  const calendars = calendarsOf(cron).map(calendarOf);
  // It counts whole seconds.
  const start = startAt && new Date(Math.ceil(startAt.getTime() / SECOND_MS) * SECOND_MS);
  return { ...common, calendars, intervals: [], ...(start !== null && { startAt: start }) };
}

function calendarOf({ minutes, hours, days, months, weekdays }: Cron): Calendar {
  return {
    minute: [...minutes],
    hour: [...hours],
    dayOfMonth: [...days],
    month: MONTHS.filter((_, index) => months.has(index + 1)),
    dayOfWeek: WEEKDAYS.filter((_, index) => weekdays.has(index)),
  };
}
