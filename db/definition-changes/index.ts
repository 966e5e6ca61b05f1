export {
  addDefinition,
  checkContent,
  createDefinition,
  deleteDefinition,
  replaceDefinition,
  requireMayReplace,
  updateDefinition,
  writeToolFor,
  type WrittenTool,
} from './change-definitions.ts';
export { deleteDefinitionFile, writeDefinitionFile } from './change-files.ts';
export { type DefinitionActor, type DefinitionDeps } from './rights.ts';
