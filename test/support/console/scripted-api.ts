import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { KEEP_CONNECTIONS } from '../keep-connections.ts';

/** What a request is answered with: 200 unless a status is given. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** Answers by method and path: `GET /api/agents`; a function gets what is asked for in the address, and may wait. */
export type Answers = Readonly<Record<string, Answer | ((query: URLSearchParams) => Answer | Promise<Answer>)>>;

/** A server for tests of the console's pages, which answers what a test has told it. */
export interface ScriptedApi {
  /** The requests so far, oldest first. */
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[];
  /** Sets the answers, by method and path. Anything else is answered with 404. */
  answer(answers: Answers): void;
}

function send(response: ServerResponse, { status = 200, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
}

/** Serves an api to the tests of the calling file, at the address of their document. */
export function serveScript(): ScriptedApi {
  const requests: ScriptedApi['requests'] = [];
  let answers: Answers = {};
  const server = createServer(KEEP_CONNECTIONS, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const { method = '', headers } = request;
      requests.push({ method, path: pathname, headers, body });
      const found = answers[`${method} ${pathname}`] ?? { status: 404, body: { detail: 'Page not found' } };
      const answer = typeof found === 'function' ? found(searchParams) : found;
      if (answer instanceof Promise) void answer.then((late) => send(response, late));
      else send(response, answer);
    });
  });
  const jsdom = (globalThis as unknown as { setAddress(address: string): void }).setAddress;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    jsdom(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  beforeEach(() => {
    requests.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, answer: (given) => void (answers = given) };
}
