import type { ImageRequest, SpeechRequest, Transcript } from '../../llm/index.ts';

/** An account and a model that are wanted: any that may be used unless given. */
interface WantedModel {
  /** The id or the name of a provider account. */
  readonly account: string | undefined;
  /** For an account whose provider has no known one. */
  readonly model: string | undefined;
}

/**
 * Models for pictures and speech, by the provider accounts that the user of a call may use. What a call has used counts
 * as usage of its turn. Throws `ToolFailure` with a message for the model.
 */
export interface UserMedia {
  /** Has pictures made, or one changed; returns their bytes, of whatever format. */
  generateImages(request: ImageRequest & WantedModel): Promise<readonly Buffer[]>;
  /** The file is read when the call has its turn. */
  transcribe(
    request: Omit<SpeechRequest, 'file'> & WantedModel & { readonly readFile: () => Promise<SpeechRequest['file']> },
  ): Promise<Transcript>;
}
