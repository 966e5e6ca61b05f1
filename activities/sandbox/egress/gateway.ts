import { once } from 'node:events';
import { chmodSync, chownSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Connects to a host that may be reached; rejects for every other. */
export type Connect = (host: string, port: number) => Promise<Socket>;

const MAX_CONNECTIONS = 32;
/** What a command may send and receive, in bytes; each passes two connections. */
const MAX_BYTES = 2 * 100_000_000;
const LOOK_MS = 250;
const HEADERS_MS = 10_000;
const IDLE_MS = 60_000;
const MAX_HEADERS = 16_384;
const HTTPS = 443;
const HTTP = 80;
/** Headers that are for the gateway, and those of a connection. */
const NOT_PASSED_ON = new Set(['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade']);

/** Where a gateway listens, and what it may do. */
interface GatewayOptions {
  /** The path of its socket; short, since those of sockets have to be. */
  readonly path: string;
  /** The user whom the command runs as, unless it is the service's own. */
  readonly owner: number | undefined;
  readonly connect: Connect;
}

/**
 * The only way of one command to the network: a proxy for http, and for https as a tunnel, on a socket of the file
 * system. It connects under the checks of every request of a tool, and ends with the command.
 */
export class EgressGateway {
  readonly #server: Server;
  /** The path of its socket. */
  readonly path: string;
  readonly #connect: Connect;
  readonly #sockets = new Set<Socket>();
  readonly #watch = setInterval(() => this.#look(), LOOK_MS).unref();
  /** The bytes of connections that have ended. */
  #ended = 0;

  private constructor({ path, connect }: GatewayOptions) {
    this.path = path;
    this.#connect = connect;
    this.#server = createServer({ maxHeaderSize: MAX_HEADERS, headersTimeout: HEADERS_MS });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server
      .on('connection', (socket: Socket) => void this.#hold(socket))
      .on('request', (request: IncomingMessage, response: ServerResponse) => void this.#forward(request, response))
      .on(
        'connect',
        (request: IncomingMessage, client: Duplex, head: Buffer) => void this.#tunnel(request, client, head),
      )
      .on('upgrade', (_request: IncomingMessage, client: Duplex) => refuse(client, 501));
  }

  static async open(options: GatewayOptions): Promise<EgressGateway> {
    const gateway = new EgressGateway(options);
    gateway.#server.listen(options.path);
    await once(gateway.#server, 'listening');
    if (options.owner !== undefined) chownSync(options.path, options.owner, options.owner);
    chmodSync(options.path, 0o600);
    return gateway;
  }

  /** Ends all its connections. */
  close(): void {
    clearInterval(this.#watch);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    rmSync(this.path, { force: true });
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = URL.parse(`https://${url}`);
    const isTunnel = target !== null && target.pathname === '/' && target.username === '' && target.search === '';
    const port = isTunnel ? portOf(target, HTTPS) : 0;
    if (target === null || (port !== HTTPS && port !== HTTP)) return refuse(client, 403);
    try {
      const server = this.#hold(await this.#connect(hostOf(target), port));
      if (client.destroyed) return void server.destroy();
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.write(head);
      client.pipe(server).pipe(client);
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
    } catch {
      refuse(client, 403);
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = URL.parse(request.url ?? '');
    if (target === null || target.protocol !== 'http:' || portOf(target, HTTP) !== HTTP || target.username !== '')
      return refuseRequest(response);
    try {
      const server = this.#hold(await this.#connect(hostOf(target), HTTP));
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
      refuseRequest(response);
    }
  }

  #hold(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    return socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#ended += bytesOf(socket);
    });
  }

  #look(): void {
    const open = [...this.#sockets].reduce((sum, socket) => sum + bytesOf(socket), 0);
    if (this.#ended + open > MAX_BYTES) this.close();
  }
}

function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL, fallback: number): number {
  return url.port === '' ? fallback : Number(url.port);
}

function passedOn({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_PASSED_ON.has(name));
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

function refuse(client: Duplex, status: number): void {
  client.end(`HTTP/1.1 ${status} Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function refuseRequest(response: ServerResponse): void {
  response.writeHead(403, { connection: 'close' }).end('The address cannot be reached from here.\n');
}
