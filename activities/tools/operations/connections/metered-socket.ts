import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ToolFailure } from '../../tool-failure.ts';

/**
 * A connection over which no more than so many bytes come: what libraries gather of an answer has a bound then. It has
 * the methods of a socket that they call, and is connected already.
 */
export class MeteredSocket extends Duplex {
  readonly #socket: Socket;
  #maxBytes: number;
  #left: number;

  constructor(socket: Socket, maxBytes: number) {
    super();
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#left = maxBytes;
    socket
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  /** Lets so many bytes come from now on, whatever has come before. */
  allow(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#left = maxBytes;
  }

  #take(chunk: Buffer): void {
    this.#left -= chunk.length;
    if (this.#left < 0) {
      this.destroy(new ToolFailure('upstream', `The answer is larger than ${this.#maxBytes} bytes: ask for less`));
    } else if (!this.push(chunk)) this.#socket.pause();
  }

  /** Says that it is connected, to a library that would connect it. */
  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(isOn?: boolean): this {
    this.#socket.setNoDelay(isOn);
    return this;
  }

  setKeepAlive(isOn?: boolean, delayMs?: number): this {
    this.#socket.setKeepAlive(isOn, delayMs);
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
