export { createAdapters, type FindAdapter } from './adapters.ts';
export { type ChosenModel, chooseModel, modelOfAccount } from './choose-model.ts';
export type { EndReason, ModelMessage } from './model-adapter.ts';
export { ProviderFailure } from './provider-failure.ts';
