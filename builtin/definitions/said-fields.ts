import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { type DefinitionContent, keyIssue } from '../../domain/definitions/index.ts';

/** The version of a definition that says none. */
export const DEFAULT_VERSION = '1.0.0';

/** What the files of a definition say of its record. */
export type SaidFields = Pick<DefinitionContent, 'key' | 'name' | 'description' | 'category' | 'version'>;

/** The fields of every record, by the rules that hold for them wherever they are written. */
export const recordFields = {
  key: z
    .string()
    .max(64)
    .refine((key) => keyIssue(key) === undefined, { error: ({ input }) => keyIssue(String(input)) ?? '' }),
  name: nameText(),
  description: text(5_000),
  version: nameText(50),
};
