import { DateTime, IANAZone } from 'luxon';
import type { TimeArguments } from './job.ts';

/** Returns whether nothing in the arguments has to be parsed: they name zones at most. */
export function isPlain({ zone = 'UTC', to_zone: toZone = 'UTC', ...texts }: TimeArguments): boolean {
  return Object.keys(texts).length === 0 && [zone, toZone].every((name) => IANAZone.isValidZone(name));
}

/** Returns the time of a clock for plain arguments. `calculateTime` takes all, and loads a parser of dates. */
export function describeTime(now: number, { zone = 'UTC', to_zone: toZone = zone }: TimeArguments): object {
  return presentTime(DateTime.fromMillis(now, { zone: toZone }));
}

/** Returns the fields that the tool answers for a time. */
export function presentTime(time: DateTime) {
  return {
    time: time.toISO(),
    zone: time.zoneName,
    offset: time.toFormat('ZZ'),
    weekday: time.setLocale('en').weekdayLong,
    week: time.weekNumber,
    unix: Math.floor(time.toSeconds()),
    is_daylight_saving: time.isInDST,
  };
}
