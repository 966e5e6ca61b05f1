export { AccountUse } from './account-use.ts';
export { AccountSignIn } from './sign-in/sign-in.ts';
export { createAdapters, type FindAdapter } from './adapters.ts';
export type { EndReason, ModelEvent, NativeCall } from './model-adapter.ts';
export { modelCandidates, type ModelCandidate, type ModelChoice } from './model-candidates.ts';
export { createTryModel, type TryModel } from './try-model.ts';
export { type ChosenModel, modelOfAccount } from './model-of-account.ts';
export { ProviderFailure } from './failures/provider-failure.ts';
export { createEmbed, type Embed, type Embeddings, MAX_TEXTS, type TextsToEmbed } from './embeddings/embed-texts.ts';
