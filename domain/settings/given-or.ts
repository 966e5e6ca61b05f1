import { z } from 'zod';

/** Makes a setting in which empty text counts as not given: compose files and shells pass unset variables that way. */
export function givenOr<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema);
}
