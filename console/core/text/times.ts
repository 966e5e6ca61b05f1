/** The language of all times: that of the sentences that they stand in, not that of the browser. */
export const TIME_LOCALE = 'en-GB';

const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const SOON = 'in less than a minute';
const relative = new Intl.RelativeTimeFormat(TIME_LOCALE, { numeric: 'auto' });
const clock = new Intl.DateTimeFormat(TIME_LOCALE, { timeStyle: 'short' });
const moment = new Intl.DateTimeFormat(TIME_LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

/** Returns how long ago a time is, or how far ahead, in words: "5 minutes ago". */
export function timeFromNow(time: string, now: number = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return seconds > 0 ? SOON : relative.format(0, 'second');
}

/** Returns the time of day: "14:32". */
export function timeOfDay(time: string): string {
  return clock.format(new Date(time));
}

const full = new Intl.DateTimeFormat(TIME_LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });

/** Returns a time in full, in the zone of the browser: "25 Nov 2026, 14:32:05". */
export function fullTime(time: string): string {
  return full.format(new Date(time));
}

/** Returns the zone in which times are shown: "Europe/Berlin". */
export function timeZone(): string {
  return full.resolvedOptions().timeZone;
}

/** Returns a day with the time of day: "25 Nov 2026, 14:32". */
export function dateAndTime(time: string): string {
  return moment.format(new Date(time));
}

/** Returns the time zones to choose from, with one that is chosen already. */
export function timeZoneChoices(chosen: string): { readonly value: string; readonly label: string }[] {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), chosen]);
  return [...names].map((name) => ({ value: name, label: name }));
}
