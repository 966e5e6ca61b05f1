import type { Response } from 'express';
import type { AppError } from '../../domain/core/app-error.ts';
import type { UnsentAnswers } from '../limits/unsent-answers.ts';
import { failureEvent } from './replies/failure-form.ts';

/**
 * The most that waits unsent for one slow reader, in bytes, beside the longest event: an answer eventually arrives as
 * one event.
 */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;
/** Ends of lines in Unicode, which JSON leaves as they are. Readers that split text by them would break an event. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

interface OpenOptions {
  /** Headers beside those of every stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the data of the event that ends the stream early; by the conventions of the path unless given. */
  readonly failure?: (message: string) => object;
}

/** A response of server-sent events (WHATWG HTML, "Server-sent events"). */
export class SseReply {
  readonly #response: Response;
  readonly #unsent: UnsentAnswers;
  #keepAlive: NodeJS.Timeout | undefined;
  #longestEvent = 0;
  #failure: ((message: string) => object) | undefined;
  #hasHungUp = false;

  /** @param unsent counts what waits for the readers of all responses */
  constructor(response: Response, unsent: UnsentAnswers) {
    this.#response = response;
    this.#unsent = unsent;
  }

  /** Aborts when the reader has disconnected, or was dropped for reading too slowly. */
  readonly closed = new AbortController();

  /** Whether the reader has disconnected before the response had ended. */
  get hasHungUp(): boolean {
    return this.#hasHungUp;
  }

  /** Whether the head of the response was sent. */
  get isOpen(): boolean {
    return this.#response.headersSent;
  }

  /** Begins to notice that the reader has disconnected, also while the response has not begun. */
  watch(): void {
    if (this.#response.destroyed) this.#leave();
    else this.#response.on('close', () => this.#leave());
  }

  /** Sends the head of the response: from here on failures are events. Does nothing when it was ended already. */
  open({ headers = {}, failure }: OpenOptions = {}): void {
    this.#failure = failure;
    if (this.#response.headersSent || this.#response.destroyed) {
      this.closed.abort();
      return;
    }
    this.watch();
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // nginx would buffer the events otherwise.
      'x-accel-buffering': 'no',
      ...headers,
    });
    this.#response.flushHeaders();
    this.#keepAlive = setInterval(() => this.#write(': keep-alive\n\n'), KEEP_ALIVE_MS);
  }

  /** Sends one event. `data` is sent as one line of JSON, so nothing in it can begin another event. */
  send(event: string, data: unknown, id?: string): void {
    const head = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
    this.#write(`${head}data: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends one event without a name; `line` is one line of text. */
  sendData(line: string): void {
    this.#write(`data: ${line}\n\n`);
  }

  /** Sends events as they were written by another library, whole ones. */
  sendWritten(events: string): void {
    this.#write(events);
  }

  /** Ends the response early, with the reason: as an event, or with `reject` while the response has not begun. */
  breakOff({ message }: AppError, reject: () => void): void {
    if (!this.#response.headersSent) {
      reject();
      return;
    }
    if (this.#failure !== undefined) {
      this.sendData(JSON.stringify(this.#failure(message)));
      this.end();
      return;
    }
    const { event, data } = failureEvent(this.#response.req.path, message);
    if (event === undefined) this.sendData(JSON.stringify(data));
    else this.send(event, data);
    this.end();
  }

  /** Ends a response that has not begun, because nothing is left to be sent: browsers do not connect again then. */
  endEmpty(): void {
    this.#response.status(204).end();
  }

  /** Ends the response. */
  end(): void {
    clearInterval(this.#keepAlive);
    this.#response.end();
  }

  #leave(): void {
    clearInterval(this.#keepAlive);
    this.#hasHungUp ||= !this.#response.writableEnded;
    this.closed.abort();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (this.#response.writableLength > MAX_BUFFERED_BYTES + this.#longestEvent) {
      this.#response.destroy();
      return;
    }
    // JSON contains these characters in strings only.
    const data = Buffer.from(text.replaceAll(LINE_ENDS, escaped));
    this.#longestEvent = Math.max(this.#longestEvent, data.byteLength);
    this.#response.write(data);
    this.#unsent.track(this.#response);
  }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
