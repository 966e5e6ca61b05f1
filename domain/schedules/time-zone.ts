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

/** Returns the name of a time zone as the zones of the world are spelled: a Temporal server takes no other case. */
export function spelledZone(name: string): string {
  return formatterOf(name).resolvedOptions().timeZone;
}

/** Returns by how many milliseconds the clock of a time zone is ahead of UTC at an instant. */
export function offsetAt(zone: string, instant: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(formatterOf(zone).format(instant)) ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
}

/**
 * Returns the instant at which the clock of a time zone shows a time, written as the instant at which UTC shows it. Of
 * a time that it shows twice or never it takes the one that `time.Date` of Go takes, as a Temporal server does.
 */
export function instantOf(zone: string, time: number): number {
  return time - offsetAt(zone, time - offsetAt(zone, time));
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const kept = formatters.get(zone);
  if (kept !== undefined) return kept;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (formatters.size >= MAX_KEPT) formatters.clear();
  formatters.set(zone, made);
  return made;
}
