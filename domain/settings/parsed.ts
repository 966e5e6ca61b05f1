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
