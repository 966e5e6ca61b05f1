import type { SchemaProfile } from '../../domain/tool-offer/wire/flatten.ts';
import type { TokenUsage } from '../../domain/turns.ts';
import type { ReportedError } from './failures/reported-error.ts';
import type { Ending, ModelAccount, ModelRequest, NativeCall } from './model-adapter.ts';

/** The parameters that a model or server is known to reject, from the catalog or from an error. */
export interface ModelQuirks {
  readonly rejectsTemperature: boolean;
  /** It takes `max_completion_tokens` where most take `max_tokens`. */
  readonly wantsCompletionLimit: boolean;
  /** It rejects the state that it gave with earlier replies. */
  readonly rejectsState: boolean;
  /** It rejects cache instructions. */
  readonly rejectsCache: boolean;
  /** It rejects `stream_options`, which request its usage. */
  readonly rejectsStreamOptions: boolean;
}

/** A request in a wire format. */
export interface ProviderRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A request as its bytes are sent. */
export interface SentRequest {
  readonly url: string;
  readonly body: Uint8Array;
}

/** Signs requests, for a provider that takes a signature of each. */
export interface RequestSigner {
  /** Returns the headers to add. */
  readonly sign: (account: ModelAccount, request: SentRequest) => Readonly<Record<string, string>>;
  /** Returns whether an error shows how to sign, so that the request can be sent once more. */
  readonly learn: (error: ReportedError, url: string) => boolean;
}

/** A family of providers: how to build its requests, and how to read its responses. */
export interface WireFormat {
  /** The name of a reply in a message to the user. */
  readonly answerName: string;
  /** The schema features that it supports in tools. */
  readonly tools: SchemaProfile;
  readonly toHttp: (request: ModelRequest, quirks: ModelQuirks) => ProviderRequest;
  /** How a stream is cut into events: as server-sent events unless given. */
  readonly decode?: 'aws_event_stream';
  readonly signer?: RequestSigner;
  readonly createReader: (call: Pick<ModelRequest, 'model'>) => WireReader;
  /**
   * Splits a whole JSON document into the chunks of an equivalent stream, or returns undefined when it is no reply.
   * Some servers send a document although they were asked to stream.
   */
  readonly splitWhole: (answer: unknown) => readonly unknown[] | undefined;
}

/** Whether a reply has ended; `perhaps` where each chunk of content may say so. */
export type IsEnding = boolean | 'perhaps';

/** Reads one reply, chunk by chunk. Chunks may contain anything: a reader never trusts their shape. */
export interface WireReader {
  /** Returns the text that a chunk adds, '' for none. */
  read(chunk: unknown): string;
  /** Whether the wire format says that no chunk follows. */
  readonly isOver: boolean;
  /** Whether the model has ended its reply, so that only its usage can follow. */
  readonly isEnding: IsEnding;
  /** Handles the mark `[DONE]`, after which nothing follows. */
  takeEndMark?(): void;
  /** Returns the parts of the reply that are complete only at its end. */
  end(): ReplyEnd;
}

/** A reply apart from its text. */
export interface ReplyEnd {
  /** Undefined when the model never said that it had ended: the reply was cut off. */
  readonly ending: Ending | undefined;
  readonly calls: readonly NativeCall[];
  readonly usage: TokenUsage | undefined;
  readonly state: unknown;
}
