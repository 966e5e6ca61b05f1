import type { ToolFailureClass } from '../tool-failure.ts';

/** The messages of the service to the process of a script: first what to run, then how its requests went. */
export type HostMessage =
  | ScriptStart
  | { readonly type: 'answer'; readonly id: number; readonly answer: ScriptAnswer }
  | ({ readonly type: 'failure'; readonly id: number } & ScriptFailure);

/** A script to run: its source, the arguments of its function as JSON, and how long it may compute. */
export interface ScriptStart {
  readonly type: 'start';
  readonly source: string;
  readonly args: string;
  readonly computingMs: number;
}

/** Why a request of a script brought no answer, and of which class that is. */
export interface ScriptFailure {
  readonly kind: ToolFailureClass;
  readonly message: string;
}

/**
 * The messages of the process of a script to the service. To whatever it receives it answers that it waits, or with the
 * last message: a result or an issue.
 */
export type ScriptMessage =
  | { readonly type: 'fetch'; readonly id: number; readonly request: unknown }
  | { readonly type: 'log'; readonly text: string }
  /** All of the script waits for answers. */
  | { readonly type: 'waiting' }
  /** `json` is the JSON of what the script has returned. */
  | { readonly type: 'result'; readonly json: string }
  /** What is wrong with the script, or why it gave up, and what it says of which class that is. */
  | { readonly type: 'issue'; readonly message: string; readonly kind?: string | undefined };

/** The answer to a script's request. */
export interface ScriptAnswer {
  readonly status: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The longest JSON of a result, in characters. */
export const MAX_RESULT = 1_000_000;
/** The longest message of a script that gave up, and the longest line of its log, in characters. */
export const MAX_MESSAGE = 1_000;
/** The most lines of a script's log. */
export const MAX_LOG_LINES = 100;
/** The most requests of a script, and those that are open at once. */
export const MAX_FETCHES = 20;
export const MAX_OPEN_FETCHES = 4;
/** The longest body of a request, in characters. */
export const MAX_REQUEST_BODY = 1_000_000;
/** The default processor time of a script, in milliseconds. */
export const MAX_COMPUTING_MS = 5_000;
/** The memory of a script, in bytes. */
export const MAX_MEMORY = 64 * 1024 * 1024;

const NEWLINE = 10;

/** Cuts a stream of bytes into lines, as far as they stay within a length. */
export class LineSplitter {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that a chunk completes; undefined when a line is too long. */
  take(chunk: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(Buffer.concat([...this.#chunks, chunk.subarray(start, end)]).toString());
      this.#chunks = [];
      this.#bytes = 0;
      start = end + 1;
    }
    this.#chunks.push(chunk.subarray(start));
    this.#bytes += chunk.length - start;
    return this.#bytes > this.#maxBytes ? undefined : lines;
  }
}
