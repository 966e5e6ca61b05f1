import type { TokenUsage } from '../../domain/turns/index.ts';
import type { EndReason, ModelRequest, NativeCall } from './model-adapter.ts';

/** What a model or server is known to refuse, found in the catalog or by a refusal. */
export interface ModelQuirks {
  readonly rejectsTemperature: boolean;
  /** It takes `max_completion_tokens` where most take `max_tokens`. */
  readonly wantsCompletionLimit: boolean;
  /** It does not take back what it gave with earlier replies. */
  readonly rejectsState: boolean;
}

/** A request in the words of a wire format. */
export interface ProviderRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How a family of providers wants to be asked, and how its answers are read. */
export interface WireFormat {
  /** What an answer is called in a message to the user. */
  readonly answerName: string;
  readonly toHttp: (request: ModelRequest, quirks: ModelQuirks) => ProviderRequest;
  readonly createReader: (request: ModelRequest) => WireReader;
  /**
   * Some servers answer with one JSON document though they were asked to stream: the chunks that a stream of it would
   * have had, or undefined when it is no answer.
   */
  readonly splitWhole: (answer: unknown) => readonly unknown[] | undefined;
}

/** Reads one reply, chunk by chunk. Chunks may hold anything: a reader never trusts their shape. */
export interface WireReader {
  /** The text that a chunk adds, '' for none. */
  read(chunk: unknown): string;
  /** Whether the wire format says that no chunk follows. */
  readonly isOver: boolean;
  /** What is known when the stream has ended. */
  end(): ReplyEnd;
}

/** A reply apart from its text. */
export interface ReplyEnd {
  /** Undefined when the model never said that it had ended: the reply was cut off. */
  readonly reason: EndReason | undefined;
  readonly calls: readonly NativeCall[];
  readonly usage: TokenUsage | undefined;
  readonly state: unknown;
}
