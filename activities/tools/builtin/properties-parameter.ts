import { z } from 'zod';

/** Makes the schema of an object with values of one kind under any names. */
export function propertiesParameter<V extends z.ZodType>(value: V, maxProperties: number) {
  return z
    .record(z.string(), value)
    .refine(
      (properties) => Object.keys(properties).length <= maxProperties,
      `must NOT have more than ${maxProperties} properties`,
    )
    .meta({ maxProperties });
}
