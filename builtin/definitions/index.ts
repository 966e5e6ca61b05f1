export { MAX_ARCHIVE_BYTES, readArchive, writeArchive } from './archive.ts';
export { checkDefinitionFile } from './check-files.ts';
export { DefinitionFault } from './definition-fault.ts';
export { readDefinitionFolder, writeDefinitionFolder } from './folders/index.ts';
export { personaFields } from './persona-file.ts';
export { DEFAULT_VERSION, recordFields } from './said-fields.ts';
export { readShippedDefinitions } from './shipped-definitions.ts';
export { readToolFile, saidByToolFile, TOOL_FILE, writeToolFile } from './tool-file.ts';
