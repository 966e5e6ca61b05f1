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
  deleteDefinitionFile,
  writeDefinitionFile,
} from './change-definitions.ts';
export { type DefinitionActor, type DefinitionDeps } from './rights.ts';
