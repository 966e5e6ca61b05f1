import { z } from 'zod';

/**
 * Makes a setting that `parse` reads; the message of an error it throws becomes the validation message. A missing
 * setting is read as an empty text.
 */
export function parsedSetting<T>(parse: (text: string) => T) {
  return z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return parse(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'cannot be read' });
        return z.NEVER;
      }
    });
}

/** Makes a setting in which empty text counts as not given: compose files and shells pass unset variables that way. */
export function givenOr<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema);
}

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

const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['K', 1024],
  ['M', 1024 ** 2],
  ['G', 1024 ** 3],
]);

/** The validation message for a text that is not a size. */
export const SIZE_MESSAGE = 'must be a number of bytes, or a number with K, M or G';

/** Returns the bytes of a size as settings are written, `512M`, `1G`, `1GB`; undefined when it is none. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,12})\s*(?:([KMG])B?)?$/.exec(text.trim()) ?? [];
  const unitBytes = UNIT_BYTES.get(unit);
  if (digits === undefined || unitBytes === undefined) return undefined;
  const bytes = Number(digits) * unitBytes;
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** Makes a setting for a size, in bytes; empty text counts as not given. */
export function sizeSetting(fallback: string) {
  return z
    .string()
    .optional()
    .transform((text, context) => {
      const bytes = parseSize(text === undefined || text === '' ? fallback : text);
      if (bytes !== undefined) return bytes;
      context.addIssue({ code: 'custom', message: SIZE_MESSAGE });
      return z.NEVER;
    });
}

/** Bounds on the work of one user, and of all organizations of one owner, that runs at once; 0 is unlimited. */
export interface WorkBounds {
  readonly perUser: number;
  readonly perOrg: number;
}

/** Nothing is bounded. */
export const UNBOUNDED: WorkBounds = { perUser: 0, perOrg: 0 };

const MAX_BOUND = 1_000_000;
const MESSAGE = 'must be a whole number from 0 (no limit) to 1000000';

/** Makes a setting for a number of concurrent things, 0 for no limit; empty text counts as not given. */
export function boundSetting(fallback: number) {
  return givenOr(z.coerce.number(MESSAGE).int(MESSAGE).min(0, MESSAGE).max(MAX_BOUND, MESSAGE).default(fallback));
}
