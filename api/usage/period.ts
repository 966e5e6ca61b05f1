const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 30;

/** The longest period of a report. */
export const LONGEST_DAYS = 366;

/** Whole hours; `to` is exclusive. */
interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** Returns the period that a caller names by dates or times: the last 30 days by default. */
export function periodOf(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now = Date.now(),
): Period {
  const end = Math.ceil((to === undefined ? now : endOf(to)) / HOUR_MS) * HOUR_MS;
  const start = from === undefined ? end - DEFAULT_DAYS * DAY_MS : Date.parse(from);
  return { from: new Date(Math.floor(start / HOUR_MS) * HOUR_MS), to: new Date(end) };
}

/** Returns whether a period is longer than a report may be. */
export function isTooLong({ from, to }: Period): boolean {
  return to.getTime() - from.getTime() > LONGEST_DAYS * DAY_MS;
}

function endOf(text: string): number {
  const isDay = !text.includes('T');
  return Date.parse(text) + (isDay ? DAY_MS : 0);
}
