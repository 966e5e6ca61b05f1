/** A tool as a model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A call in a transcript. */
export interface ModelToolCall {
  /** Unique in its transcript; its result has the same. */
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * A message of a transcript, whatever the provider's wire format. A transcript is valid: every call of an `assistant`
 * message is answered by exactly one `tool` message before anything else is said.
 */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user';
      readonly content: string;
      /** Pictures that belong to it, for a model that takes them. */
      readonly images?: readonly ModelImage[];
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ModelToolCall[];
      /** Opaque data that the adapter of this reply wants back with it (`ModelEvent` `state`). */
      readonly state?: ReplyState;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
    };

/** A picture as a model is shown it. */
export interface ModelImage {
  readonly mediaType: string;
  /** The bytes in base64. */
  readonly data: string;
}

/** Data of one wire format that belongs to a reply, such as signatures of its thinking. JSON. */
export interface ReplyState {
  /** The `stream_type` that it comes from; another one leaves it out. */
  readonly streamType: string;
  readonly data: unknown;
}

// In quarters of a token. Prose takes about four letters a token; digits, code and JSON take fewer characters, and
// other scripts about one. Rather too much than too little: a transcript that is too long is refused by the provider.
const QUARTERS_OF_ASCII = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z ]/i.test(String.fromCharCode(code)) ? 1 : 2,
);
const QUARTERS_OF_OTHERS = 4;
const TOKENS_PER_ITEM = 4;

/** The tokens of a picture of a common size, at most providers. */
const TOKENS_PER_IMAGE = 1_600;

/** Estimates the tokens of a transcript, quickly and on the safe side. */
export function estimateTranscriptTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + TOKENS_PER_ITEM + tokensOf(message), 0);
}

/** Estimates the tokens of tool definitions. */
export function estimateToolTokens(tools: readonly ToolDefinition[]): number {
  return tools.reduce((sum, tool) => sum + TOKENS_PER_ITEM + estimateTokens(JSON.stringify(tool)), 0);
}

/** Estimates the tokens of a text. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let index = 0; index < text.length; index += 1) quarters += quartersOf(text, index);
  return Math.ceil(quarters / 4);
}

/** Returns the beginning of `text` that takes at most `tokens`, cut between characters. */
export function firstTokens(text: string, tokens: number): string {
  let left = tokens * 4;
  for (let index = 0; index < text.length; index += 1) {
    left -= quartersOf(text, index);
    if (left < 0) return text.slice(0, endsInPair(text, index) ? index - 1 : index);
  }
  return text;
}

function quartersOf(text: string, index: number): number {
  return QUARTERS_OF_ASCII[text.charCodeAt(index)] ?? QUARTERS_OF_OTHERS;
}

function endsInPair(text: string, end: number): boolean {
  return end > 0 && (text.codePointAt(end - 1) ?? 0) > 0xffff;
}

function tokensOf(message: ModelMessage): number {
  const content = estimateTokens(message.content);
  if (message.role === 'tool') return content + estimateTokens(message.callId + message.name);
  if (message.role === 'user') return content + TOKENS_PER_IMAGE * (message.images?.length ?? 0);
  if (message.role !== 'assistant') return content;
  const calls = (message.toolCalls ?? []).reduce(
    (sum, call) => sum + TOKENS_PER_ITEM + estimateTokens(call.id + call.name + JSON.stringify(call.arguments)),
    0,
  );
  return content + calls + (message.state === undefined ? 0 : estimateTokens(JSON.stringify(message.state.data)));
}
