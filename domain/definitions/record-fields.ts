import { z } from 'zod';
import { nameText, text } from '../core/text.ts';
import { DEFINITION_KEY, keyIssue } from './key.ts';

/** The fields of every record, by the rules that hold for them wherever they are written. */
export const recordFields = {
  key: z
    .string()
    .max(64)
    .refine((key) => keyIssue(key) === undefined, { error: ({ input }) => keyIssue(String(input)) ?? '' })
    .meta({ minLength: 1, pattern: DEFINITION_KEY.source }),
  name: nameText(),
  description: text(5_000),
  version: nameText(50),
};
