export { type BuiltinAgent, builtinAgents, builtinPersonas, isBuiltin } from './agent-templates.ts';
export { type MediaKind, mediaModels, modelFacts, modelPrice, supportsTemperature } from './models.ts';
export {
  type EmbeddingFormatName,
  findCatalogEntry,
  mayEmbed,
  providerCatalog,
  whyUnavailable,
  type CatalogEntry,
  type WireFormatName,
} from './provider-catalog.ts';
export { readShippedDefinitions, readShippedItems, shippedId } from './shipped-definitions.ts';
export { builtinTools, isToolKey } from './tool-definitions.ts';
