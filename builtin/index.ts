export { builtinAgents, type BuiltinAgent } from './agent-templates.ts';
export { isBuiltin } from './builtin-records.ts';
export {
  argumentsIssue,
  checkDefinitionFile,
  checkScriptFile,
  DEFAULT_VERSION,
  DefinitionFault,
  faultOf,
  MAX_ARCHIVE_BYTES,
  personaFields,
  readArchive,
  readDefinitionFolder,
  readShippedDefinitions,
  readToolFile,
  saidBySkillFile,
  saidByStoredFile,
  saidByToolFile,
  type SaidFields,
  SCRIPT_FILE,
  shippedId,
  TOOL_FILE,
  writeArchive,
  writeDefinitionFolder,
  writeSkillFile,
  writeToolFile,
} from './definitions/index.ts';
export {
  type IndexEntry,
  IndexFault,
  type ReadIndex,
  readIndexFile,
  readItem,
  readShippedItems,
  writeAgentFiles,
} from './items/index.ts';
export { modelFacts } from './model-facts.ts';
export { builtinPersonas } from './persona-types.ts';
export {
  findCatalogEntry,
  providerCatalog,
  whyUnavailable,
  type CatalogEntry,
  type WireFormatName,
} from './provider-catalog.ts';
export { isToolKey } from './tool-keys.ts';
export { builtinTools } from './tool-definitions.ts';
export { supportsTemperature } from './temperature-support.ts';
