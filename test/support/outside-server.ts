import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.ts';

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
export class OutsideServer extends LocalServer {
  readonly seen: SeenRequest[] = [];
  reply: Reply = json({});

  static async start(): Promise<OutsideServer> {
    return new OutsideServer().listen();
  }

  protected serve(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      this.seen.push({ method, url, headers, body });
      this.reply(response, { method, url, headers, body });
    });
  }
}

/** Makes a reply of JSON. */
export function json(content: unknown, status = 200): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  };
}
