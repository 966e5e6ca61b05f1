const plural = new Intl.PluralRules('en');
const number = new Intl.NumberFormat('en');
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** Returns a number as it is read: "12,345". */
export function formatNumber(n: number): string {
  return number.format(n);
}

/** Returns a number with the noun that it counts: "1 tool", "2 tools". */
export function count(n: number, one: string, many: string): string {
  return `${number.format(n)} ${plural.select(n) === 'one' ? one : many}`;
}

/** Returns an amount of US dollars: "$0.0123". */
export function formatDollars(amount: number): string {
  return money.format(amount);
}

/** Returns a duration in seconds as it is read: "17 ms", "0.4 s", "2 min 5 s", "3 h 20 min". */
export function formatDuration(exact: number): string {
  if (exact > 0 && exact < 0.095) return `${Math.round(exact * 1_000)} ms`;
  if (exact < 9.95) return `${exact.toFixed(1)} s`;
  const seconds = Math.round(exact);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Returns a number of bytes as it is read: "812 B", "1.4 MB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const shown = bytes / 1_000 ** power;
  return `${power === 0 || shown >= 99.95 ? Math.round(shown) : shown.toFixed(1)} ${SIZES[power] ?? ''}`;
}

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

/** Returns what stands between the commas of a line, without empty ones; what is named twice counts once. */
export function partsOfLine(line: string): string[] {
  const parts = line.split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** Returns a line of words, with commas between. */
export function lineOf(words: readonly string[]): string {
  return words.join(', ');
}
