import { z } from 'zod';

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const MAX_MS = 30 * 24 * 3_600_000;

/** The validation message for a text that is not a duration. */
export const DURATION_MESSAGE = 'must be a number of seconds, or a number with ms, s, m or h, and at most 720h';

/** Milliseconds of a duration as settings are written, `90`, `90s`, `1.5h`; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit = 's'] = /^(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  const unitMs = UNIT_MS.get(unit);
  if (digits === undefined || unitMs === undefined) return undefined;
  const milliseconds = Math.round(Number(digits) * unitMs);
  return milliseconds <= MAX_MS ? milliseconds : undefined;
}

/** Makes a setting for a duration, in milliseconds; empty text counts as not given. */
export function durationSetting(fallback: string) {
  return z
    .string()
    .optional()
    .transform((text, context) => {
      const milliseconds = parseDuration(text === undefined || text === '' ? fallback : text);
      if (milliseconds !== undefined) return milliseconds;
      context.addIssue({ code: 'custom', message: DURATION_MESSAGE });
      return z.NEVER;
    });
}
