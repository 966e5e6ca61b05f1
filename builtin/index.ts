export { builtinAgents, type BuiltinAgent } from './agent-templates.ts';
export { contextWindow } from './context-window.ts';
export { builtinPersonas, type BuiltinPersona } from './persona-types.ts';
export { findCatalogEntry, providerCatalog, type CatalogEntry } from './provider-catalog.ts';
