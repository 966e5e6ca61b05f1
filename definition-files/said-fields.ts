import type { DefinitionContent } from '../domain/definitions/index.ts';

/** The version of a definition that says none. */
export const DEFAULT_VERSION = '1.0.0';

/** What the files of a definition say of its record. */
export type SaidFields = Pick<DefinitionContent, 'key' | 'name' | 'description' | 'category' | 'version'>;
