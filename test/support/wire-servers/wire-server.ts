import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createGuardedFetch,
  type GuardedFetch,
  type RequestStream,
} from '../../../activities/core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../../activities/core/network/guarded-http.ts';
import { GoogleTokens } from '../../../activities/core/google-tokens.ts';
import { AccountSignIn } from '../../../activities/llm/sign-in.ts';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import { KEEP_CONNECTIONS } from '../keep-connections.ts';

/** A request that a wire server got. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON or form; `any`-shaped on purpose: tests look into it freely. */
  readonly body: Record<string, unknown>;
}

/** Writes an answer. */
export type WireReply = (response: ServerResponse, request: WireRequest) => void;

/** A provider that says exactly the bytes a test gives it, on a real socket. */
export interface WireServer {
  readonly url: string;
  readonly fetch: GuardedFetch;
  readonly requestStream: RequestStream;
  /** Signs accounts in at nobody: for those that need no call for it. */
  readonly signIns: AccountSignIn;
  readonly requests: WireRequest[];
  /** Sets the replies to the next requests, one after the other; the last one serves all further ones. */
  answer(...replies: WireReply[]): void;
  /** Sets a check that sees each request first; the issue that it returns is sent with 400. */
  reject(issueOf: (request: WireRequest) => string | undefined): void;
  close(): Promise<void>;
}

/** Starts a server on a free port. */
export async function startWireServer(): Promise<WireServer> {
  const requests: WireRequest[] = [];
  let replies: WireReply[] = [];
  let issueOf: (request: WireRequest) => string | undefined = () => undefined;
  const server = createServer(KEEP_CONNECTIONS, (incoming, response) => {
    void readRequest(incoming).then((request) => {
      requests.push(request);
      const issue = issueOf(request);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      if (issue !== undefined) return json(400, { error: { message: issue } })(response, request);
      return reply?.(response, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${port}`));
  return {
    url: `http://127.0.0.1:${port}`,
    fetch: guarded.fetch,
    requestStream: guarded.requestStream,
    signIns: new AccountSignIn(new GoogleTokens({ http: createGuardedHttp(guarded.fetch) })),
    requests,
    answer: (...next) => {
      replies = next;
      requests.length = 0;
    },
    reject: (check) => {
      issueOf = check;
    },
    close: async () => {
      await guarded.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = readBody(text, incoming.headers['content-type'] ?? '');
  return { path: incoming.url ?? '', headers: incoming.headers, body };
}

function readBody(text: string, type: string): Record<string, unknown> {
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Returns with a stream of these bytes and ends it. */
export function stream(...chunks: (string | Buffer)[]): WireReply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  };
}

/** Returns with a stream in two writes, the second when the first has left. */
export function streamCutAt(bytes: Buffer, cut: number): WireReply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))));
  };
}

/** Returns with a stream whose connection breaks after these bytes. */
export function brokenStream(...chunks: string[]): WireReply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunks.join(''), () => response.destroy());
  };
}

/** Returns with a JSON document. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireReply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
