import type { WebSocket } from 'ws';

/**
 * The most that waits unsent for one slow reader, in bytes, beside the longest frame: an answer eventually arrives as
 * one frame.
 */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_INVALID_FRAMES = 10;
const PING_MS = 25_000;
/** How long a client may take to hang up after it was asked to, in milliseconds. */
const GOODBYE_MS = 2_000;

interface FrameHandlers {
  /** Handles a frame that was counted; never one of a client that was asked to disconnect. */
  onFrame(data: Buffer): void;
  /** Makes the frame that rejects one of the client's. */
  rejectionOf(message: string): object;
}

/**
 * One client's socket, whatever it is about: text frames of JSON within a budget, pings, a bound on what waits for a
 * slow reader, and an end that a client cannot draw out.
 */
export class FrameSocket {
  readonly #socket: WebSocket;
  readonly #handlers: FrameHandlers;
  readonly #budget = new FrameBudget();
  #faultyFrames = 0;
  #longestFrame = 0;
  #hasAnswered = true;
  #isEnding = false;

  constructor(socket: WebSocket, handlers: FrameHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
  }

  /** Serves the connection while `work` runs, and until it closes. */
  async serve(work: () => Promise<void>): Promise<void> {
    const socket = this.#socket;
    socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    // They cost as much as other frames; `ws` would answer them without limit, or hang up without a word.
    socket.on('ping', () => this.#takeFrame());
    socket.on('pong', () => {
      this.#hasAnswered = true;
      this.#takeFrame();
    });
    // `ws` closes the connection itself after a protocol error; without a listener the error would end the process.
    socket.on('error', () => undefined);
    const ping = setInterval(() => this.#ping(), PING_MS);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    try {
      await work();
      await closed;
    } finally {
      clearInterval(ping);
    }
  }

  /** Ends the connection. */
  close(code: CloseCode, reason: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.close(code, reason);
    // The close frame waits behind unread data, and a client need not respond to it.
    setTimeout(() => this.#socket.terminate(), GOODBYE_MS).unref();
  }

  /** Sends a frame; a client that reads too slowly is asked to reconnect instead. */
  send(frame: object): void {
    this.sendEncoded(encodeFrame(frame));
  }

  /** Sends what `encodeFrame` returned, as `send` does: one encoding serves many clients. */
  sendEncoded(data: Buffer): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES + this.#longestFrame) {
      this.close(CLOSE.tryAgainLater, 'reading too slowly');
      return;
    }
    this.#longestFrame = Math.max(this.#longestFrame, data.byteLength);
    socket.send(data, { binary: false });
  }

  /** Rejects a frame that cannot be read; too many of them end the connection. */
  refuse(message: string): void {
    this.#faultyFrames += 1;
    this.send(this.#handlers.rejectionOf(message));
    if (this.#faultyFrames >= MAX_INVALID_FRAMES) this.close(CLOSE.policyViolation, 'too many invalid frames');
  }

  /** Reads nothing more of the client until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isEnding) return;
    if (isBinary) return this.close(CLOSE.unsupportedData, 'frames are JSON text');
    if (this.#takeFrame()) this.#handlers.onFrame(data);
  }

  /** Counts a frame; rejects it and returns false when there have been too many. */
  #takeFrame(): boolean {
    if (this.#isEnding) return false;
    if (this.#budget.take()) return true;
    this.refuse('Too many frames; wait a moment');
    return false;
  }

  #ping(): void {
    if (!this.#hasAnswered) return this.#socket.terminate();
    this.#hasAnswered = false;
    this.#socket.ping();
  }
}

/** Returns a frame as it is sent. */
export function encodeFrame(frame: object): Buffer {
  return Buffer.from(JSON.stringify(frame));
}

/** Frames a client may send at once, and then each second. */
const BURST = 40;
const PER_SECOND = 20;

/** Counts the frames of one socket. */
class FrameBudget {
  #left = BURST;
  #countedAt = performance.now();

  /** Counts one frame; returns false when there have been too many. */
  take(): boolean {
    const now = performance.now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#countedAt) / 1000) * PER_SECOND);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** Close codes: RFC 6455 section 7.4.1 and its registry, and our own 4401 and 4404 for what HTTP calls 401 and 404. */
export const CLOSE = {
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
  restarting: 1012,
  tryAgainLater: 1013,
  unauthenticated: 4401,
  gone: 4404,
} as const;

/** Returns what the codes mean to clients; `gone` says what is no longer there. `ws` itself closes with 1009. */
export const closeCodes = (gone: string) =>
  ({
    [CLOSE.unsupportedData]: 'A frame was not text',
    [CLOSE.policyViolation]: 'Too many invalid frames, or an invalid handshake: fix the client',
    1009: 'A frame was larger than 1 MiB',
    [CLOSE.internalError]: 'An internal error: reconnect later',
    [CLOSE.restarting]: 'The server restarts: reconnect',
    [CLOSE.tryAgainLater]:
      'Too many connections or requests, a part of the service is down, or frames were read too slowly: reconnect later',
    [CLOSE.unauthenticated]:
      'The token is missing, invalid, expired or revoked; the reason says which: refresh it or sign in, then connect',
    [CLOSE.gone]: gone,
  }) satisfies Readonly<Record<CloseCode | 1009, string>>;

/** A code that the server closes connections with. */
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];
