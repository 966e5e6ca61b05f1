import { type Cron, isWallTimeOf, nextWallTime } from './cron.ts';
import { changeBetween, offsetAt } from './time-zone.ts';

// The clock of a time zone is changed at most once in this time.
const DAY_MS = 24 * 3_600_000;

/**
 * Returns the first instant after another at which a cron line fires in a time zone. A line that names hours fires once
 * for each time that it names: at the next time that exists if the clock skips it, the first time if it comes twice. A
 * line for every hour goes on with the clock: it fires at each minute that the clock shows and the line names.
 */
export function nextCronSlot(cron: Cron, zone: string, after: number): number | undefined {
  return cron.isEveryHour ? nextShownTime(cron, zone, after) : nextNamedTime(cron, zone, after);
}

function nextNamedTime(cron: Cron, zone: string, after: number): number | undefined {
  let time = nextWallTime(cron, after + offsetAt(zone, after));
  while (time !== undefined) {
    const instant = instantOf(zone, time);
    // Times of an hour that comes twice are past when it comes again.
    if (instant > after) return instant;
    time = nextWallTime(cron, time);
  }
  return undefined;
}

function instantOf(zone: string, time: number): number {
  const [before, after] = [offsetAt(zone, time - DAY_MS), offsetAt(zone, time + DAY_MS)];
  const [old, changed] = [time - before, time - after];
  if (before === after || offsetAt(zone, old) === before) return old;
  return offsetAt(zone, changed) === after ? changed : changeBetween(zone, changed, old);
}

function nextShownTime(cron: Cron, zone: string, after: number): number | undefined {
  let from = after;
  for (;;) {
    const offset = offsetAt(zone, from);
    const time = nextWallTime(cron, from + offset);
    if (time === undefined) return undefined;
    const instant = time - offset;
    const seen = Math.min(instant, from + 2 * DAY_MS);
    if (offsetAt(zone, seen) !== offset) {
      from = changeBetween(zone, from, seen);
      if (isWallTimeOf(cron, from + offsetAt(zone, from))) return from;
    } else if (seen === instant) {
      return instant;
    } else {
      from = instant - DAY_MS;
    }
  }
}
