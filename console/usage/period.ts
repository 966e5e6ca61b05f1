const DAY_MS = 86_400_000;

/** Returns the first day of a period of so many days that ends today, by UTC as the server counts. */
export function firstDay(days: number, now: number = Date.now()): string {
  return dayOf(now - (days - 1) * DAY_MS);
}

/** Returns the day of a time by UTC: "2026-11-25". */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns all days of a period, of which the last is not in it when it begins with the end. */
export function daysBetween(from: string, to: string): readonly string[] {
  const [first, end] = [Date.parse(`${from.slice(0, 10)}T00:00:00Z`), Date.parse(to)];
  const length = Math.max(0, Math.ceil((end - first) / DAY_MS));
  return Array.from({ length }, (_, at) => dayOf(first + at * DAY_MS));
}
