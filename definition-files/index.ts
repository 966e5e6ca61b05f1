export { MAX_ARCHIVE_BYTES, readArchive, writeArchive } from './archive.ts';
export { checkDefinitionFile } from './check-files.ts';
export { DefinitionFault, faultOf } from './definition-fault.ts';
export { readDefinitionFolder, writeDefinitionFolder } from './folders/index.ts';
export { argumentsIssue } from './parameters/arguments-issue.ts';
export { readMcpCatalog } from './mcp-catalog.ts';
export { personaFields } from './persona-file.ts';
export { readPriceFile } from './price-file.ts';
export { namesIn, readFolder } from './read-folder.ts';
export { DEFAULT_VERSION, type SaidFields } from './said-fields.ts';
export { saidBySkillFile, writeSkillFile } from './skill-file.ts';
export {
  type IndexEntry,
  IndexFault,
  type ReadIndex,
  readIndexFile,
  readItem,
  readItems,
  writeAgentFiles,
} from './items/index.ts';
export { checkScriptFile, SCRIPT_FILE } from './tool-files/script-file.ts';
export { scriptIssue } from './tool-files/script-issue.ts';
export { readToolFile, saidByStoredFile, saidByToolFile, TOOL_FILE, writeToolFile } from './tool-files/tool-file.ts';
