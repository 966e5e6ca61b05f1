export { knownAmong } from './look-ups/known-keys.ts';
export { DefinitionRecord } from './definition.entity.ts';
export { Definitions } from './definitions.ts';
export { digestOf } from './digest.ts';
export { findToolsOfIntegration } from './look-ups/find-tools-of-integration.ts';
export { findWithoutFile } from './look-ups/find-without-file.ts';
export { deleteFile, readOwnFile, requireFileVersion, writeFile } from './files.ts';
export {
  listDefinitionFiles,
  listDefinitions,
  type ListedDefinition,
  listShipped,
  listShippedFiles,
  readDefinition,
  readDefinitionContent,
  readDefinitionFile,
} from './read-definitions.ts';
export {
  insertDefinition,
  removeDefinition,
  findDefinition,
  keepInstalled,
  lockDefinition,
  replaceContent,
  assignDefinition,
} from './records.ts';
export { versionIn } from './statements.ts';
