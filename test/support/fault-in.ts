import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** Says what is wrong with a value by its schema, or that it holds more than that declares; undefined when all is right. */
export function faultIn(schema: z.ZodType, value: unknown): string | undefined {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) return `${JSON.stringify(value)}: ${z.prettifyError(error)}`;
  return isDeepStrictEqual(data, value) ? undefined : `${JSON.stringify(value)} has fields that its schema lacks`;
}
