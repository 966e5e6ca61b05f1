import { readCron } from './cron.ts';
import { isTimeZone, offsetAt } from './time-zone.ts';

const MONTH_MS = 30 * 86_400_000;
/** The hours that a change of the clock leaves out or repeats in some zone. */
const CHANGED_HOURS = 4;

/**
 * Returns whether a cron line names times that changes of its zone's clock leave out or repeat within a year of `now`,
 * in milliseconds since 1970.
 */
export function meetsClockChange(cronExpr: string, timezone: string, now: number): boolean {
  const cron = readCron(cronExpr);
  if (typeof cron === 'string' || !isTimeZone(timezone)) return false;
  if (cron.hours.every((hour) => hour >= CHANGED_HOURS)) return false;
  const offsets = Array.from({ length: 13 }, (_, month) => offsetAt(timezone, now + month * MONTH_MS));
  return new Set(offsets).size > 1;
}
