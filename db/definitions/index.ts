export { findToolsOfIntegration, findWithoutFile, knownAmong } from './look-ups.ts';
export { DefinitionRecord } from './definition.entity.ts';
export { Definitions } from './definitions.ts';
export {
  assignDefinition,
  digestOf,
  findDefinition,
  insertDefinition,
  keepInstalled,
  lockDefinition,
  removeDefinition,
  replaceContent,
} from './records.ts';
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
export { versionIn } from './statements.ts';
