/** The attributes of a span: model, tokens, state. No secret; texts of people and models only where a setting asks. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** The beginning of a span. */
export interface SpanStart {
  readonly name: string;
  /** `internal` unless given. */
  readonly kind?: 'server' | 'client' | 'internal';
  /** The context above it, as a `traceparent`; that of the span under way unless given. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

/** A span under way. */
export interface Span {
  set(attributes: Attributes): void;
  /** Marks it as failed, with the kind of the failure: messages may repeat prompts and addresses. */
  fail(kind: string): void;
}

/** A turn as its row names it. */
export interface TracedTurn {
  readonly id: string;
  /** The context of the request that it was stored in; null where that was not traced. */
  readonly traceparent: string | null;
}

/** The whole span of a turn that has ended. */
export interface TurnSpan {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly attributes: Attributes;
  readonly failure: string | undefined;
}

/** Exports what the process does to a collector, as spans of OpenTelemetry. */
export interface Tracing {
  /** Whether questions, answers, arguments and results are exported, too. */
  readonly hasContents: boolean;
  /** Runs work within a span; one that throws has failed. */
  within<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  /** Returns the context of the span under way, as a `traceparent`. */
  current(): string | undefined;
  /** Returns the context of what any process does for a turn: the trace of its request, and the span of the turn. */
  contextOf(turn: TracedTurn): string | undefined;
  /** Exports the span that `contextOf` names, once the turn has ended. */
  endTurn(turn: TracedTurn, span: TurnSpan): void;
}

/** Returns a message as the conventions for generative AI write a list of one. */
export function messageText(role: 'user' | 'assistant', content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

const NO_SPAN: Span = { set: () => undefined, fail: () => undefined };

let installed: Tracing | undefined;

/** Traces the work of this process from now on; undefined stops that. */
export function installTracing(tracing: Tracing | undefined): void {
  installed = tracing;
}

/** The tracing of the process: it does nothing unless one was installed. */
export const tracing: Tracing = {
  get hasContents() {
    return installed?.hasContents ?? false;
  },
  within: async (start, work) => (installed === undefined ? work(NO_SPAN) : installed.within(start, work)),
  current: () => installed?.current(),
  contextOf: (turn) => installed?.contextOf(turn),
  endTurn: (turn, span) => installed?.endTurn(turn, span),
};
