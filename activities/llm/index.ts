export { learnFromFailure, learnFromSuccess, noteAccountUse, statesOf } from './accounts/account-record.ts';
export { AccountUse } from './accounts/account-use.ts';
export { AccountSignIn } from './sign-in/sign-in.ts';
export { createAdapters, type FindAdapter } from './adapters.ts';
export type {
  Ending,
  ModelEvent,
  NativeCall,
  RenderedTranscript,
  TranscriptReader,
  UnrenderedRequest,
} from './model-adapter.ts';
export { modelCandidates, type ModelCandidate, type ModelChoice } from './model-candidates.ts';
export { createListOfferedModels, type ListOfferedModels } from './model-lists/list-offered-models.ts';
export { createTryModel, type TryModel } from './try-model.ts';
export { type ChosenModel, modelOfAccount } from './model-of-account.ts';
export { type FailureKind, ProviderFailure, scrub } from './failures/provider-failure.ts';
export { type AnsweredImage, askForImages, type ImageRequest } from './media/images.ts';
export { createMediaCall, type MediaCall } from './media/media-call.ts';
export { askForTranscript, type SpeechRequest, type Transcript } from './media/transcription.ts';
export { createEmbed, type Embed, type Embeddings, MAX_TEXTS, type TextsToEmbed } from './embeddings/embed-texts.ts';
export { InstalledClis } from './cli/installed-clis.ts';
export { SignedInAccounts } from './cli/signed-in-accounts.ts';
export type { CliProgram, CliStart } from './cli/programs/cli-program.ts';
