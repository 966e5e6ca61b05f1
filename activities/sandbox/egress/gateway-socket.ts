import { once } from 'node:events';
import { chmodSync, chownSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const MAX_CONNECTIONS = 32;
const LOOK_MS = 250;
const HEADERS_MS = 10_000;
const IDLE_MS = 60_000;
const MAX_HEADERS = 16_384;

/** Answers a request that a command has sent to its proxy. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Where a gateway listens. */
export interface GatewayPlace {
  /** The path of its socket; short, since those of sockets have to be. */
  readonly path: string;
  /** The user whom the command runs as, unless it is the service's own. */
  readonly owner: number | undefined;
}

/** What a gateway does with its connections. */
interface GatewayOptions extends GatewayPlace {
  readonly onRequest: Answer;
  /** Makes a tunnel; refused unless given. */
  readonly onConnect?: (request: IncomingMessage, client: Duplex, head: Buffer) => void;
  /** What its connections may send and receive together, in bytes. */
  readonly maxBytes: number;
}

/** The socket behind the proxy of one command, with bounds on what passes it. It ends with the command. */
export class GatewaySocket {
  readonly #server: Server;
  /** The path of its socket. */
  readonly path: string;
  readonly #maxBytes: number;
  readonly #sockets = new Set<Socket>();
  readonly #watch = setInterval(() => this.#look(), LOOK_MS).unref();
  /** The bytes of connections that have ended. */
  #ended = 0;

  private constructor({ path, maxBytes, onRequest, onConnect }: GatewayOptions) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#server = createServer({ maxHeaderSize: MAX_HEADERS, headersTimeout: HEADERS_MS });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server
      .on('connection', (socket: Socket) => void this.hold(socket))
      .on('request', onRequest)
      .on('connect', onConnect ?? ((_request: IncomingMessage, client: Duplex) => refuse(client, 403)))
      .on('upgrade', (_request: IncomingMessage, client: Duplex) => refuse(client, 501));
  }

  static async open(options: GatewayOptions): Promise<GatewaySocket> {
    const gateway = new GatewaySocket(options);
    gateway.#server.listen(options.path);
    await once(gateway.#server, 'listening');
    if (options.owner !== undefined) chownSync(options.path, options.owner, options.owner);
    chmodSync(options.path, 0o600);
    return gateway;
  }

  /** Counts a connection among its own, and ends it when it is silent for too long, and with the gateway. */
  hold(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    return socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#ended += bytesOf(socket);
    });
  }

  /** Ends all its connections. */
  close(): void {
    clearInterval(this.#watch);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    rmSync(this.path, { force: true });
  }

  #look(): void {
    const open = [...this.#sockets].reduce((sum, socket) => sum + bytesOf(socket), 0);
    if (this.#ended + open > this.#maxBytes) this.close();
  }
}

/** Ends a connection that is not to become a tunnel. */
export function refuse(client: Duplex, status: number): void {
  client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}
