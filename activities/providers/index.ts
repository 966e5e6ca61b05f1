export { type CallProviderDeps, createCallProvider } from './call-provider.ts';
export { createListModels, type ListModelsDeps } from './list-models.ts';
