export { builtinAgents, type BuiltinAgent } from './agent-templates.ts';
export { isBuiltin } from './builtin-records.ts';
export { type MediaKind, mediaModels } from './models/media-models.ts';
export { modelFacts } from './models/model-facts.ts';
export { modelPrice } from './models/model-prices.ts';
export { builtinPersonas } from './persona-types.ts';
export {
  type EmbeddingFormatName,
  findCatalogEntry,
  mayEmbed,
  providerCatalog,
  whyUnavailable,
  type CatalogEntry,
  type WireFormatName,
} from './provider-catalog.ts';
export { readShippedDefinitions, shippedId } from './shipped-definitions.ts';
export { readShippedItems } from './shipped-items.ts';
export { isToolKey } from './tool-keys.ts';
export { builtinTools } from './tool-definitions.ts';
export { supportsTemperature } from './models/temperature-support.ts';
