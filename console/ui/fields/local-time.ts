const MINUTE_MS = 60_000;

/** Returns a time as a field for a local one takes it, to the minute: "2026-11-25T14:32". */
export function localMinute(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, 16);
}
