import type { SignIn } from '../../domain/providers/sign-in.ts';
import type { ModelMessage, ToolDefinition } from '../../domain/transcripts/model-message.ts';
import type { TokenUsage } from '../../domain/turns.ts';

/** One call of a model, as a request is made of it. */
export interface ModelRequest extends ModelCallFields, RenderedTranscript {}

/** One call of a model, whose transcript is rendered for each request that is made of it. */
export interface UnrenderedRequest extends ModelCallFields {
  readonly transcript: TranscriptReader;
}

/** The input of a model. */
export interface RenderedTranscript {
  readonly messages: readonly ModelMessage[];
  /** Tools that the model may call natively; empty for none. */
  readonly tools: readonly ToolDefinition[];
}

/**
 * Provides a transcript, which may be large, to those who make a request of it. It is not in memory while a model
 * answers.
 */
export interface TranscriptReader {
  /**
   * Returns what `build` makes of the transcript, which is released after that. `sizeOf` returns the bytes that the
   * result takes until `release`; none unless given.
   */
  read<T>(build: (transcript: RenderedTranscript) => T, sizeOf?: (built: T) => number): Promise<T>;
  /** Reports that the result of `build` is released too. */
  release(): void;
}

interface ModelCallFields {
  readonly account: ModelAccount;
  readonly model: string;
  readonly temperature: number;
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
}

/** A way to sign in that is more than a key in a header. */
export type SpecialSignIn = Exclude<SignIn, { readonly type: 'api_key' }>;

/** The account that a call is made with; the only one with its secrets in clear. */
export interface ModelAccount {
  readonly id: string | null;
  readonly name: string;
  readonly providerType: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** How it signs in when it does not do so with `apiKey`. */
  readonly signIn?: SpecialSignIn | undefined;
  /** Its organization, where the account's sign-in is read again for each call. */
  readonly orgId?: string | undefined;
}

/** An event of a model's reply. The last one is `end`. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** A whole native call, reported when it is complete. */
  | { readonly type: 'tool_call'; readonly call: NativeCall }
  /** Data for the adapter to send back with this reply (`ReplyState.data`), JSON. */
  | { readonly type: 'state'; readonly data: unknown }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | ({ readonly type: 'end' } & Ending);

/** A call as the provider sent it; nothing has been validated. */
export interface NativeCall {
  readonly name: string;
  /** The JSON text of the arguments, '' for none; cut one character after `MAX_ARGUMENT_CHARACTERS`. */
  readonly argumentsText: string;
  /** Whether the rest was dropped because the calls of the reply exceed their common limit. */
  readonly isCut?: boolean;
}

/**
 * Why the model stopped: it was done (calling tools included), reached the token limit, its provider withheld the rest,
 * or something that only the provider knows.
 */
export type EndReason = 'done' | 'length' | 'content_filter' | 'other';

/** How a reply ends. */
export interface Ending {
  readonly reason: EndReason;
  /** The provider's word for another reason. */
  readonly word?: string;
}

/**
 * Calls a model in one wire format. Throws `ProviderFailure` for any error of the provider, and stops soon after
 * `signal` aborts.
 */
export type ModelAdapter = (request: UnrenderedRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** Returns a call whose transcript is small and stays in memory. */
export function withTranscript({ messages, tools, ...call }: ModelRequest): UnrenderedRequest {
  return {
    ...call,
    transcript: { read: async (build) => build({ messages, tools }), release: () => undefined },
  };
}

/** Returns every secret of an account, so that no text of its provider is shown with one in it. */
export function secretsOf({
  apiKey,
  signIn,
}: Pick<ModelAccount, 'apiKey' | 'signIn'>): readonly (string | undefined)[] {
  if (signIn === undefined) return [apiKey];
  if (signIn.type === 'access_token') return [signIn.accessToken];
  if (signIn.type === 'service_account') return [signIn.serviceAccount.privateKey];
  return [signIn.secretAccessKey, signIn.sessionToken];
}
