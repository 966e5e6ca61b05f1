import { once } from 'node:events';
import { WebSocket } from 'ws';
import { serverFrameSchema } from '../../api/chat-socket/frames/frames.ts';
import { versionedFrameSchema } from '../../api/chat-socket/frames/versioned-frame.ts';
import { SUBPROTOCOL } from '../../api/sockets/read-upgrade.ts';
import { faultIn } from './fault-in.ts';
import { waitUntil } from './wait-until.ts';

/** A frame that the server sent. */
export interface ServerFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A client of the chat socket that keeps every frame it was sent, and takes only those that the API declares. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly frames: ServerFrame[] = [];
  closeCode: number | undefined;
  #fault: string | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as ServerFrame;
      const schema = socket.protocol === SUBPROTOCOL ? versionedFrameSchema : serverFrameSchema;
      this.#fault ??= faultIn(schema, frame);
      this.frames.push(frame);
    });
    socket.on('close', (code) => (this.closeCode = code));
    socket.on('error', () => undefined);
  }

  /** Connects to a chat; throws when the upgrade is refused. */
  static async connect(apiUrl: string, chatId: string, token: string): Promise<SocketClient> {
    const url = `${apiUrl.replace('http', 'ws')}/ws/chat/${chatId}?token=${encodeURIComponent(token)}`;
    const client = new SocketClient(new WebSocket(url));
    await once(client.socket, 'open');
    return client;
  }

  /** Connects as a page does that asks for the subprotocol, which carries the token. */
  static async connectVersioned(apiUrl: string, chatId: string, token: string): Promise<SocketClient> {
    const url = `${apiUrl.replace('http', 'ws')}/ws/chat/${chatId}`;
    const client = new SocketClient(new WebSocket(url, [SUBPROTOCOL, `bearer.${token}`]));
    await once(client.socket, 'open');
    return client;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** All chunk text so far. */
  get text(): string {
    return this.frames.map((frame) => (frame.type === 'chunk' ? String(frame['content']) : '')).join('');
  }

  /** Frames that end a turn. */
  get endings(): ServerFrame[] {
    return this.frames.filter(({ type }) => type === 'stream_end' || type === 'error');
  }

  /** Waits for the n-th frame (from 1) that fits. */
  async waitFor(what: string, fits: (frame: ServerFrame) => boolean, n = 1, timeoutMs?: number): Promise<ServerFrame> {
    const find = () => {
      if (this.#fault !== undefined) throw new Error(`a frame that the API does not declare: ${this.#fault}`);
      const found = this.frames.filter(fits)[n - 1];
      if (found === undefined && this.closeCode !== undefined)
        throw new Error(`the connection was closed with ${this.closeCode} before the frame: ${what}`);
      return found;
    };
    return waitUntil(`frame: ${what}`, find, timeoutMs);
  }

  /** Waits for the end of the n-th turn (from 1). */
  async waitForEnd(n = 1, timeoutMs?: number): Promise<ServerFrame> {
    return this.waitFor(`end of turn ${n}`, ({ type }) => type === 'stream_end' || type === 'error', n, timeoutMs);
  }

  close(): void {
    this.socket.terminate();
  }
}
