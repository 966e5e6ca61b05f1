export {
  addDefinition,
  checkContent,
  createDefinition,
  deleteDefinition,
  replaceDefinition,
  updateDefinition,
  writeToolFor,
  type WrittenTool,
} from './change-definitions.ts';
export { deleteDefinitionFile, writeDefinitionFile } from './change-files.ts';
export { type DefinitionActor, type DefinitionDeps, requireMayChange } from './rights.ts';
