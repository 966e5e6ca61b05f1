import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/**
 * Returns why a value does not fit its schema, or that it contains more than the schema declares; undefined when it
 * fits.
 */
export function faultIn(schema: z.ZodType, value: unknown): string | undefined {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) return `${JSON.stringify(value)}: ${z.prettifyError(error)}`;
  return isDeepStrictEqual(data, value) ? undefined : `${JSON.stringify(value)} has fields that its schema lacks`;
}
