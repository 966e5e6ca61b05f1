import { z } from 'zod';

/** Returns a setting in which empty text counts as not given: compose files and shells pass variables on that way. */
export function givenOr<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema);
}
