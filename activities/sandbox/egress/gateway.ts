import { type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type GatewayPlace, GatewaySocket, refuse } from './gateway-socket.ts';

/** Connects to a host that may be reached; rejects for every other. */
export type Connect = (host: string, port: number) => Promise<Socket>;

/** What a command may send and receive, in bytes; each passes two connections. */
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

  static async open(place: GatewayPlace, connect: Connect): Promise<GatewaySocket> {
    const gateway = new EgressGateway(connect);
    gateway.#socket = await GatewaySocket.open({
      ...place,
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
      const server = this.#hold(await this.#connect(hostOf(target), port));
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
      refuseRequest(response, UNREACHABLE);
    }
  }

  #hold(socket: Socket): Socket {
    return this.#socket?.hold(socket) ?? socket.destroy();
  }
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

function refuseRequest(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end('The address cannot be reached from here.\n');
}
