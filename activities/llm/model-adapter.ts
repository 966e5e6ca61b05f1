import type { ModelMessage, ToolDefinition } from '../../domain/transcripts/index.ts';
import type { TokenUsage } from '../../domain/turns/index.ts';

/** One call of a model. */
export interface ModelRequest {
  readonly account: ModelAccount;
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** Tools that the model may call natively; empty for none. */
  readonly tools: readonly ToolDefinition[];
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
  /** A whole native call, told when it is complete. */
  | { readonly type: 'tool_call'; readonly call: NativeCall }
  /** What the adapter wants to see again with this reply (`ReplyState.data`), JSON. */
  | { readonly type: 'state'; readonly data: unknown }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'end'; readonly reason: EndReason };

/** A call as the provider sent it: nothing about it is checked. */
export interface NativeCall {
  readonly name: string;
  /** The JSON text of the arguments, '' for none; cut after `MAX_ARGUMENT_CHARACTERS` and one more. */
  readonly argumentsText: string;
  /** The rest was not kept: the calls of the reply hold more than they may together. */
  readonly isCut?: boolean;
}

/** Why the model stopped: it was done (also: it calls tools), met the token limit, or its provider withheld the rest. */
export type EndReason = 'done' | 'length' | 'content_filter';

/**
 * A wire format. Throws `ProviderFailure` for whatever the provider does wrong, and stops soon after `signal` aborts.
 */
export type ModelAdapter = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
