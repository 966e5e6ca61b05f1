/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A call in a transcript. */
export interface ModelToolCall {
  /** Unique in its transcript; its result carries the same. */
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
