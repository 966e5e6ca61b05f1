import type { ResponseBody } from '../../core/network/guarded-fetch.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { IsEnding } from '../wire-format.ts';
import type { ServerEvent } from './event-parser.ts';

/**
 * The longest stream on the wire, which wraps each token in some 200 bytes of JSON. One event is buffered at a time.
 */
const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** The longest response in one JSON document, which is buffered as a whole. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/** How long a body may continue after its last event before its connection is closed. */
const DRAIN_MS = 100;

/** How long events may follow after the model has said how its reply ends: its usage comes then. */
const END_GRACE_MS = 3_000;

/** The same where each chunk of content says that it is the last. */
const UNCLEAR_GRACE_MS = 30_000;

/** Options for reading a stream. */
export interface EventStreamOptions {
  /** Called for each arrival of bytes. */
  readonly onBytes: () => void;
  /** Returns whether the last event has been read; the rest is dropped. */
  readonly isOver: () => boolean;
  /** Returns whether the reply has ended, so that little can follow. */
  readonly isEnding: () => IsEnding;
}

/** Cuts bytes that arrive in chunks into events. */
export interface StreamParser {
  /** Returns the events that this chunk completes. */
  push(chunk: Uint8Array): readonly ServerEvent[];
  /** Returns the events that the end completes. */
  end(): readonly ServerEvent[];
}

/** Yields the events of a body. Fails when there are more bytes than any reply needs. */
export async function* readEventStream(
  body: ResponseBody,
  parser: StreamParser,
  { onBytes, isOver, isEnding }: EventStreamOptions,
): AsyncGenerator<ServerEvent> {
  const chunks = body[Symbol.asyncIterator]();
  const count = countBytes(MAX_STREAM_BYTES);
  const grace = new Grace();
  try {
    for (;;) {
      const chunk = await grace.first(chunks.next());
      if (chunk === undefined) return;
      const { done, value } = chunk;
      if (done === true) break;
      count(value);
      onBytes();
      for (const event of parser.push(value)) {
        yield event;
        if (isOver()) {
          await drain(chunks);
          return;
        }
        const ending = isEnding();
        if (ending !== true) grace.cancel();
        if (ending !== false) grace.begin(ending === 'perhaps' ? UNCLEAR_GRACE_MS : END_GRACE_MS);
      }
    }
    yield* parser.end();
  } finally {
    grace.cancel();
    // It does not matter how the rest of the body fails.
    void body.cancel();
  }
}

/** The time after the end of a reply in which events are waited for. */
class Grace {
  readonly #passed = Promise.withResolvers<undefined>();
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;

  /** Starts the timer, unless it runs: some servers continue with empty chunks. */
  begin(ms: number): void {
    if (this.#timer !== undefined && this.#ms === ms) return;
    this.cancel();
    this.#ms = ms;
    this.#timer = setTimeout(() => this.#passed.resolve(undefined), ms);
  }

  /** Returns the outcome of a promise; undefined once the time is up. */
  async first<T>(next: Promise<T>): Promise<T | undefined> {
    return this.#timer === undefined ? next : Promise.race([next, this.#passed.promise]);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Returns the whole body as text. Fails when there are more bytes than any reply needs. */
export async function readText(
  body: ResponseBody,
  onBytes: () => void,
  maxBytes = MAX_DOCUMENT_BYTES,
): Promise<string> {
  const decoder = new TextDecoder();
  const count = countBytes(maxBytes);
  let text = '';
  for await (const bytes of body) {
    count(bytes);
    onBytes();
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the beginning of a body as text, at most `maxBytes`, or the part that arrived before it broke. */
export async function readStart(body: ResponseBody, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let room = maxBytes;
  let text = '';
  try {
    for await (const bytes of body) {
      text += decoder.decode(bytes.subarray(0, room), { stream: true });
      room -= bytes.byteLength;
      if (room <= 0) break;
    }
  } catch {
    // The status alone says what there is to say.
  }
  return text;
}

function countBytes(limit: number): (bytes: Uint8Array) => void {
  let received = 0;
  return (bytes) => {
    received += bytes.byteLength;
    if (received > limit) {
      throw new ProviderFailure('sent far more than a reply can contain', { kind: 'outage' });
    }
  };
}

/** Reads to the end, so that the connection can serve the next call; does not wait for a server that keeps it open. */
async function drain(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, DRAIN_MS);
  const end = (async () => {
    while (!(await chunks.next()).done) continue;
  })();
  await Promise.race([end, limit.promise]).catch(() => undefined);
  clearTimeout(timer);
}

const ENDS_IN_HALF = /[\uD800-\uDBFF]$/;

/**
 * Joins characters that a provider split in two: JSON can contain half a surrogate pair, and some servers send an emoji
 * as two deltas. A half without its other half becomes U+FFFD.
 */
export class WholeCharacters {
  #half = '';

  /** Returns the text so far that has not been returned yet, without a half character at its end. */
  take(text: string): string {
    if (text === '') return '';
    const whole = this.#half + text;
    const isCut = ENDS_IN_HALF.test(whole);
    this.#half = isCut ? whole.slice(-1) : '';
    return (isCut ? whole.slice(0, -1) : whole).toWellFormed();
  }

  /** Returns the replacement of a half character whose other half never came, '' when there is none. */
  rest(): string {
    return this.#half.toWellFormed();
  }
}
