export { checkDefinitionFile } from './check-files.ts';
export { DefinitionFault } from './definition-fault.ts';
export { personaFields } from './persona-file.ts';
export { DEFAULT_VERSION, recordFields } from './said-fields.ts';
export { readShippedDefinitions } from './shipped-definitions.ts';
export { readToolFile, saidByToolFile, TOOL_FILE, writeToolFile } from './tool-file.ts';
