import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_CONNECTIONS } from './keep-connections.ts';

/** A request as the server has seen it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request. */
export type Reply = (response: ServerResponse, request: SeenRequest) => void;

/** A server of the outside world that keeps every request whole, and answers as its test says. */
export class OutsideServer {
  readonly seen: SeenRequest[] = [];
  reply: Reply = json({});
  readonly #server = createServer(KEEP_CONNECTIONS, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      this.seen.push({ method, url, headers, body });
      this.reply(response, { method, url, headers, body });
    });
  });

  static async start(): Promise<OutsideServer> {
    const server = new OutsideServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Makes a reply of JSON. */
export function json(content: unknown, status = 200): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  };
}
