import { z } from 'zod';

/** An object with values of one kind under any names, as an argument. */
export function propertiesParameter<V extends z.ZodType>(value: V, maxProperties: number) {
  return z
    .record(z.string(), value)
    .refine(
      (properties) => Object.keys(properties).length <= maxProperties,
      `must NOT have more than ${maxProperties} properties`,
    )
    .meta({ maxProperties });
}
