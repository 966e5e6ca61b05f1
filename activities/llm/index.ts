export {
  AccountUse,
  learnFromFailure,
  learnFromSuccess,
  noteAccountUse,
  statesOf,
  type ModelCandidate,
  modelCandidates,
  type ModelChoice,
} from './model-candidates.ts';
export { AccountSignIn } from './sign-in.ts';
export { createAdapters, type FindAdapter } from './adapters.ts';
export type {
  Ending,
  ModelEvent,
  NativeCall,
  RenderedTranscript,
  TranscriptReader,
  UnrenderedRequest,
} from './model-adapter.ts';
export { createListOfferedModels, type ListOfferedModels } from './list-offered-models.ts';
export { createTryModel, type TryModel } from './try-model.ts';
export { type ChosenModel, modelOfAccount } from './model-of-account.ts';
export { type FailureKind, ProviderFailure, scrub } from './failures/provider-failure.ts';
export {
  type AnsweredImage,
  askForImages,
  askForTranscript,
  createMediaCall,
  type ImageRequest,
  type MediaCall,
  type SpeechRequest,
  type Transcript,
} from './media.ts';
export { createEmbed, type Embed, type Embeddings, MAX_TEXTS, type TextsToEmbed } from './embed-texts.ts';
export { InstalledClis } from './cli/installed-clis.ts';
export { SignedInAccounts } from './cli/signed-in-accounts.ts';
export type { CliProgram, CliStart } from './cli/programs/cli-program.ts';
