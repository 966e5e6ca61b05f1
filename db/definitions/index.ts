export {
  findToolsOfIntegration,
  findWithoutFile,
  knownAmong,
  listDefinitionFiles,
  listDefinitions,
  type ListedDefinition,
  listShipped,
  listShippedFiles,
  readDefinition,
  readDefinitionContent,
  readDefinitionFile,
} from './read-definitions.ts';
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
export { versionIn } from './statements.ts';
