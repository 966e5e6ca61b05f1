import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the platform made to an attacker's server. */
export interface HostileRequest {
  readonly method: string;
  /** What follows the attacker's own part of the path. */
  readonly path: string;
  readonly body: unknown;
}

/** What an attacker's server does with a request. */
export type HostileScript = (request: HostileRequest, response: ServerResponse) => void | Promise<void>;

/** The servers of all attackers, each under a path of its own: what they give as `base_url` and let agents fetch. */
export class HostileServer {
  readonly #scripts = new Map<string, HostileScript>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
      response.on('error', () => undefined);
      void this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.requestTimeout = 0;
  }

  static async start(): Promise<HostileServer> {
    const hostile = new HostileServer();
    hostile.#server.listen(0, '127.0.0.1');
    await once(hostile.#server, 'listening');
    return hostile;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Serves an attacker, and answers the address of their server. */
  host(name: string, script: HostileScript): string {
    this.#scripts.set(name, script);
    return `http://127.0.0.1:${this.port}/${name}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = '', ...rest] = (request.url ?? '').split('/');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const script = this.#scripts.get(name);
    if (script === undefined) response.writeHead(404).end();
    else await script({ method: request.method ?? '', path: `/${rest.join('/')}`, body }, response);
  }
}
