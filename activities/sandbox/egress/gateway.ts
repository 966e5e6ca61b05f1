import { once } from 'node:events';
import { chmodSync, chownSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostOf } from '../../../domain/network/host-names.ts';

/** Connects to a host that may be reached; rejects for every other. */
export type Connect = (host: string, port: number) => Promise<Socket>;

/** How much a command may send and receive, in bytes; each passes two connections. */
const MAX_BYTES = 2 * 100_000_000;

/** Not 403: a program would take it for the answer of its server, and its sign-in for one that was withdrawn. */
const UNREACHABLE = 502;
const HTTPS = 443;
const HTTP = 80;

/** Headers that are for the gateway, and those of a connection. */
const NOT_PASSED_ON = new Set(['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade']);

/**
 * The only way of one command to the network: a proxy for http, and for https as a tunnel, on a socket of the file
 * system. It connects under the checks of every request of a tool, and ends with the command.
 */
export class EgressGateway {
  readonly #connect: Connect;
  #socket: GatewaySocket | undefined;

  private constructor(connect: Connect) {
    this.#connect = connect;
  }

  static async open(address: GatewayAddress, connect: Connect): Promise<GatewaySocket> {
    const gateway = new EgressGateway(connect);
    gateway.#socket = await GatewaySocket.open({
      ...address,
      maxBytes: MAX_BYTES,
      onRequest: (request, response) => void gateway.#forward(request, response),
      onConnect: (request, client, head) => void gateway.#tunnel(request, client, head),
    });
    return gateway.#socket;
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = URL.parse(`https://${url}`);
    const isTunnel = target !== null && target.pathname === '/' && target.username === '' && target.search === '';
    const port = isTunnel ? portOf(target, HTTPS) : 0;
    if (target === null || (port !== HTTPS && port !== HTTP)) return refuse(client, 403);
    try {
      const server = this.#track(await this.#connect(hostOf(target), port));
      if (client.destroyed) return void server.destroy();
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.write(head);
      client.pipe(server).pipe(client);
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
    } catch {
      refuse(client, UNREACHABLE);
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = URL.parse(request.url ?? '');
    if (target === null || target.protocol !== 'http:' || portOf(target, HTTP) !== HTTP || target.username !== '')
      return refuseRequest(response, 403);
    try {
      const server = this.#track(await this.#connect(hostOf(target), HTTP));
      const sent = sendRequest({
        createConnection: () => server,
        method: request.method,
        path: target.pathname + target.search,
        headers: { ...passedOn(request), host: target.host, connection: 'close' },
      });
      sent
        .on('error', () => response.destroy())
        .on('response', (answer) => {
          response.writeHead(answer.statusCode ?? 502, passedOn(answer));
          answer.on('error', () => response.destroy()).pipe(response);
        });
      response.once('close', () => server.destroy());
      request.on('error', () => server.destroy()).pipe(sent);
    } catch {
      refuseRequest(response, UNREACHABLE);
    }
  }

  #track(socket: Socket): Socket {
    return this.#socket?.track(socket) ?? socket.destroy();
  }
}

function portOf(url: URL, fallback: number): number {
  return url.port === '' ? fallback : Number(url.port);
}

function passedOn({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_PASSED_ON.has(name));
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

function refuseRequest(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end('The address cannot be reached from here.\n');
}

const MAX_CONNECTIONS = 32;
const CHECK_MS = 250;
const HEADERS_MS = 10_000;
const IDLE_MS = 60_000;
const MAX_HEADERS = 16_384;

/** Answers a request that a command has sent to its proxy. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Where a gateway listens. */
interface GatewayAddress {
  /** The path of its socket; short, since those of sockets have to be. */
  readonly path: string;
  /** The user whom the command runs as, unless it is the service's own. */
  readonly owner: number | undefined;
}

/** The bounds and the destinations of a gateway. */
interface GatewayOptions extends GatewayAddress {
  readonly onRequest: Answer;
  /** Makes a tunnel; refused unless given. */
  readonly onConnect?: (request: IncomingMessage, client: Duplex, head: Buffer) => void;
  /** How much its connections may send and receive together, in bytes. */
  readonly maxBytes: number;
}

/** The socket behind the proxy of one command, with bounds on what passes it. It ends with the command. */
export class GatewaySocket {
  readonly #server: Server;
  /** The path of its socket. */
  readonly path: string;
  readonly #maxBytes: number;
  readonly #sockets = new Set<Socket>();
  readonly #watch = setInterval(() => this.#check(), CHECK_MS).unref();
  /** The bytes of connections that have ended. */
  #ended = 0;

  private constructor({ path, maxBytes, onRequest, onConnect }: GatewayOptions) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#server = createServer({ maxHeaderSize: MAX_HEADERS, headersTimeout: HEADERS_MS });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server
      .on('connection', (socket: Socket) => void this.track(socket))
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
  track(socket: Socket): Socket {
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

  #check(): void {
    const open = [...this.#sockets].reduce((sum, socket) => sum + bytesOf(socket), 0);
    if (this.#ended + open > this.#maxBytes) this.close();
  }
}

/** Ends a connection that is not to become a tunnel. */
function refuse(client: Duplex, status: number): void {
  client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}
