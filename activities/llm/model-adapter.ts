import type { TokenUsage } from '../../domain/turns/index.ts';

/** A message as every provider knows it. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** One call of a model. */
export interface ModelRequest {
  readonly account: ModelAccount;
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly temperature: number;
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
}

/** The account a call is made with; its secret is in clear here and nowhere else. */
export interface ModelAccount {
  readonly id: string | null;
  readonly name: string;
  readonly providerType: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

/** What a model says, in order. The last event is `end`. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'end'; readonly reason: EndReason };

/** Why the model stopped: it was done, met the token limit, or its provider withheld the rest. */
export type EndReason = 'done' | 'length' | 'content_filter';

/**
 * A wire format. Throws `ProviderFailure` for whatever the provider does wrong, and stops soon after `signal` aborts.
 */
export type ModelAdapter = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
