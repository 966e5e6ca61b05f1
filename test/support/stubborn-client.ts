import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { waitUntil } from './wait-until.ts';

/** A client of the chat socket that does not hang up when it is told to. */
export class StubbornClient {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  isCutOff = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data: Buffer) => (this.#received = Buffer.concat([this.#received, data])));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isCutOff = true));
  }

  static async connect(apiUrl: string, chatId: string, token: string): Promise<StubbornClient> {
    const { hostname, port } = new URL(apiUrl);
    const client = new StubbornClient(connect(Number(port), hostname));
    const key = randomBytes(16).toString('base64');
    client.#socket.write(
      `GET /ws/chat/${chatId}?token=${token} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\n` +
        `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await waitUntil('the upgrade', () => client.#received.includes('101 Switching') || undefined);
    return client;
  }

  /** Whether the server has sent a close frame (RFC 6455, section 5.5.1) with a code of our own, 4401. */
  get hasCloseFrame(): boolean {
    return this.#received.includes(Buffer.from([4401 >> 8, 4401 & 0xff]));
  }

  /** Sends a frame of less than 126 bytes (RFC 6455, section 5.2). */
  send(frame: object): void {
    const text = Buffer.from(JSON.stringify(frame));
    // A mask of zeros leaves the text as it is.
    this.#socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
  }
}
