/** Shortest rest, so that a turn whose accounts are all busy does not ask them without a pause. */
const MIN_COOLDOWN_MS = 1_000;
/** Longest rest of an account, whatever its provider asks for. */
const MAX_COOLDOWN_MS = 24 * 3_600_000;

interface Busy {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly cooldownSeconds: number;
  /** The delay that the provider asks for, if it says. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Returns the end of a busy account's cooldown: as long as its provider asks, but no shorter than its own setting, and
 * between a second and a day.
 */
export function cooldownEnd({ now, cooldownSeconds, retryAfterMs }: Busy): number {
  const asked = retryAfterMs === undefined || Number.isNaN(retryAfterMs) ? 0 : retryAfterMs;
  return now + Math.min(MAX_COOLDOWN_MS, Math.max(MIN_COOLDOWN_MS, asked, cooldownSeconds * 1000));
}
