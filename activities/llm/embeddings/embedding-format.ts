import type { ModelAccount } from '../model-adapter.ts';
import type { ProviderRequest } from '../wire-format.ts';

/** Texts that a model is to turn into vectors. */
export interface EmbeddingRequest {
  readonly account: ModelAccount;
  readonly model: string;
  readonly texts: readonly string[];
  /** Whether texts are to be found, or are what others are looked for by: some models treat them differently. */
  readonly purpose: 'document' | 'query';
}

/** What a provider answers, not validated. */
export interface EmbeddingAnswer {
  /** In the order of the texts. */
  readonly vectors: readonly unknown[];
  /** Undefined when the provider does not say. */
  readonly tokens: number | undefined;
}

/** A family of providers: how to ask for vectors, and how to read what they answer. */
export interface EmbeddingFormat {
  readonly toHttp: (request: EmbeddingRequest) => ProviderRequest;
  /** Throws `ProviderFailure` when the answer does not say which vector is of which text. */
  readonly read: (answer: unknown) => EmbeddingAnswer;
}
