const MINUTE_MS = 60_000;
// A formatter takes tens of kilobytes, and a name may be written in many ways.
const MAX_KEPT = 200;
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns whether a name is that of an IANA time zone; an offset such as `+01:00` is none. */
export function isTimeZone(name: string): boolean {
  if (name.length > 100 || !/^[a-z]/i.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns by how many milliseconds the clock of a time zone is ahead of UTC at an instant. */
export function offsetAt(zone: string, instant: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(formatterOf(zone).format(instant)) ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
}

/** Returns the first minute after an instant, up to a later one, at which the clock of a time zone has been changed. */
export function changeBetween(zone: string, from: number, to: number): number {
  const offset = offsetAt(zone, from);
  let before = Math.floor(from / MINUTE_MS);
  let after = Math.ceil(to / MINUTE_MS);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(zone, middle * MINUTE_MS) === offset) before = middle;
    else after = middle;
  }
  return after * MINUTE_MS;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const kept = formatters.get(zone);
  if (kept !== undefined) return kept;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (formatters.size >= MAX_KEPT) formatters.clear();
  formatters.set(zone, made);
  return made;
}
