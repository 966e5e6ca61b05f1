/** What a format of numbers holds beside its fields: texts, escaped characters, colours, locales and exponents. */
const NO_FIELDS = /general|"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|e[+-]/gi;
const FIELD = /[ymdhs]/i;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const TIME_FIELD = /[hs]|am\/pm/i;
const DAY_FIELD = /[yde]|m{3}/i;
const DAY_MS = 86_400_000;
/** The days of 1900: nobody enters them as dates, and sums of times reach them. */
const FIRST_YEAR_DAYS = 367;
/** Numbers of days in workbooks, which count a 29th of February 1900. */
const LEAP_DAY_OF_1900 = 60;
const UNIX_EPOCH_SERIAL = 25_569;
const DAYS_TO_1904 = 1462;
/** The end of the year 9999. */
const LAST_SERIAL = 2_958_466;

/**
 * Returns the text of a number that its format shows as a date, a time or a duration: `2026-11-23`,
 * `2026-11-23 14:00:00`, `08:30:00` or `30:00:00`. Returns undefined for other formats and impossible times.
 */
export function cellTimeText(value: number, format: string, is1904: boolean): string | undefined {
  const [fields = ''] = format.replaceAll(NO_FIELDS, '').split(';', 1);
  if (!FIELD.test(fields) || Math.abs(value) >= LAST_SERIAL) return undefined;
  const hasTime = TIME_FIELD.test(fields);
  const isDuration = ELAPSED.test(fields) || (hasTime && !DAY_FIELD.test(fields) && value < FIRST_YEAR_DAYS);
  if (isDuration) return clockText(value, ELAPSED.test(fields));
  if (value < 1 && !is1904) return hasTime || value % 1 !== 0 ? clockText(value, false) : undefined;
  return dateText(value, is1904);
}

// A time of day is not rounded up to the end of its day.
function clockText(days: number, isElapsed: boolean): string {
  const rounded = Math.round(Math.abs(days) * DAY_MS);
  const total = !isElapsed && Math.abs(days) < 1 ? Math.min(rounded, DAY_MS - 1) : rounded;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const [milliseconds, seconds] = [total % 1000, total / 1000];
  const rest = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${days < 0 && total > 0 ? '-' : ''}${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${rest}`;
}

// Workbooks know no time zone; a date without a time is midnight.
function dateText(value: number, is1904: boolean): string | undefined {
  const serial = value + (is1904 ? DAYS_TO_1904 : 0);
  if (value < 0 || serial >= LAST_SERIAL) return undefined;
  const days = serial - UNIX_EPOCH_SERIAL + (serial < LEAP_DAY_OF_1900 ? 1 : 0);
  const text = new Date(Math.round(days * DAY_MS)).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}
