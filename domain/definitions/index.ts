export {
  type Definition,
  DEFINITION_KINDS,
  DEFINITION_ORIGINS,
  type DefinitionContent,
  type DefinitionFiles,
  type DefinitionHead,
  type DefinitionKind,
  type DefinitionOrigin,
  type PersonaFields,
} from './definition.ts';
export { findPathClash, pathIssue } from './file-path.ts';
export { keyIssue } from './key.ts';
export { MAX_DEFINITION_BYTES, MAX_FILE_BYTES, MAX_FILES } from './limits.ts';
export { recordFields } from './record-fields.ts';
export { ShippedDefinitions } from './shipped-definitions.ts';
export { SKILL_CATEGORIES } from './skill-category.ts';
export { SKILL_FILE, splitFrontMatter } from './skill-file.ts';
export { soulObject } from './soul.ts';
