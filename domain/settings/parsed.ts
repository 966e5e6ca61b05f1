import { z } from 'zod';

/** A setting whose text `parse` reads; what that throws is the fault. Without text it reads an empty one. */
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
