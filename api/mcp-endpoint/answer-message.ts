import { randomUUID } from 'node:crypto';
import { MCP_PATH } from '../http/convention.ts';
import type { RelayedAnswer } from '../http/define-route.ts';
import { rpcFailure } from '../http/replies/failure-form.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { type Exchange, makeServer } from './make-server.ts';
import type { RpcMessage } from './schema.ts';

/** The headers of a request that mean something to the protocol. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

interface Incoming extends Omit<Exchange, 'cancelled'> {
  readonly message: RpcMessage;
  readonly reply: SseReply;
  header(name: string): string | undefined;
}

/** Has the protocol's library answer a message: in one piece, or with a stream that is sent to the reply. */
export async function answerMessage({ message, header, ...incoming }: Incoming): Promise<RelayedAnswer | undefined> {
  const { context, reply } = incoming;
  const cancelled = new AbortController();
  const exchange = { ...incoming, cancelled };
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  reply.watch();
  const handler = createMcpHandler(async (request) => makeServer(exchange, request), {
    // The reply sends its own.
    keepAliveMs: 0,
    onerror: (error) => context.log.debug({ err: error }, 'a message of an MCP client was not served'),
  });
  const request = new Request(new URL(MCP_PATH, context.publicUrl), {
    method: 'POST',
    headers: HEADERS.flatMap((name): [string, string][] => {
      const value = header(name);
      return value === undefined ? [] : [[name, value]];
    }),
    signal: reply.closed.signal,
  });
  const answer = await Promise.race([handler.fetch(request, { parsedBody: message }), endOf(cancelled.signal)]);
  if (answer === undefined) return UNANSWERED;
  const headers = headersFor(message, answer);
  if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return { status: answer.status, headers, body: await answer.text() };
  await relay(answer.body, { headers, message, reply, cancelled: cancelled.signal });
  return undefined;
}

/** What a request is answered with that was cancelled: as a notification is. */
const UNANSWERED: RelayedAnswer = { status: 202, headers: {}, body: '' };

async function endOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

// A client of the protocol before 2026 is given a session, by which it can cancel calls.
function headersFor({ method }: RpcMessage, answer: Response): Record<string, string> {
  const type = answer.headers.get('content-type');
  return {
    ...(type !== null && { 'content-type': type }),
    ...(method === 'initialize' && answer.ok && { 'mcp-session-id': randomUUID() }),
  };
}

interface RelayOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly message: RpcMessage;
  readonly reply: SseReply;
  readonly cancelled: AbortSignal;
}

async function relay(
  stream: ReadableStream<Uint8Array>,
  { headers, message: { id = null }, reply, cancelled }: RelayOptions,
): Promise<void> {
  // Clients do not notice a stream that ends without an answer to their request.
  reply.open({ headers, failure: (message) => rpcFailure(id, message) });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const ended = AbortSignal.any([reply.closed.signal, cancelled]);
  ended.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    reply.sendWritten(decoder.decode(value, { stream: true }));
  }
  reply.end();
}
