import { z } from 'zod';

/** The largest number of an issue that can be stored. */
const MAX_NUMBER = 2 ** 31 - 1;
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(9_999, 11, 31, 23, 59, 59);

/** The id of a record among all those of its host. */
export const idField = z.int().positive();

/** The number of an issue in its repository. */
export const numberField = idField.max(MAX_NUMBER);

/** The number of an issue in a list, of any size: one that cannot be stored must not keep the others away. */
export const listedNumberField = z.number();

/** Returns whether the number of an issue can be stored. */
export function isStorableNumber(number: number): boolean {
  return numberField.safeParse(number).success;
}

/** A time, to the second. */
export const timeField = z.string().transform((text, context) => {
  const time = secondOf(text);
  if (time !== undefined) return time;
  context.addIssue('is not a time');
  return z.NEVER;
});

/**
 * Returns the time to the second; undefined when it is none. Years that cannot be stored, or have other forms in
 * texts, become the first or last that can: some hosts send the year 1 for a time that they do not know.
 */
export function secondOf(text: string): Date | undefined {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  return new Date(Math.floor(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS) / 1_000) * 1_000);
}

/** Returns the number of an issue that a text is; undefined when it is none. */
export function numberOf(text: string): number | undefined {
  return numberField.safeParse(Number(text)).data;
}
