import { z } from 'zod';

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
