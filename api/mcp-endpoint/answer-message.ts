import { z } from 'zod';
import { randomUUID } from 'node:crypto';
import { withPlainNumbers } from '../../domain/core/exact-json.ts';
import { text } from '../../domain/core/text.ts';
import { MCP_PATH, rpcFailure } from '../http/replies/failure-form.ts';
import type { RelayedAnswer } from '../http/define-route.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { type Exchange, makeServer } from './make-server.ts';

/** The headers of a request that mean something to the protocol. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

interface Incoming extends Omit<Exchange, 'cancelled'> {
  readonly message: RpcMessage;
  readonly reply: SseReply;
  header(name: string): string | undefined;
}

/** Has the protocol's library answer a message, either with one response or with a stream. */
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

/** The answer to a cancelled request, the same as to a notification. */
const UNANSWERED: RelayedAnswer = { status: 202, headers: {}, body: '' };

async function endOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

// Gives a client of the protocol before 2026 a session, by which it can cancel calls.
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

const MAX_NAME = 256;

// The numbers of messages are kept as they were written, but the protocol's library takes plain ones for ids.
const idSchema = z.union([text(MAX_NAME), z.preprocess(withPlainNumbers, z.number())]);

/**
 * A message of the protocol, as far as this service reads it: the rest is for the protocol's library. Batches, which
 * the protocol had in March 2025 only, are refused.
 */
export const rpcMessageSchema = z
  .looseObject(
    {
      jsonrpc: z.literal('2.0'),
      id: idSchema.nullish().meta({ description: 'Identifies the response; absent for a notification' }),
      method: text(MAX_NAME).optional(),
      params: z.record(z.string(), z.unknown()).optional(),
    },
    'must be one message: an object',
  )
  .meta({
    id: 'McpMessage',
    description: 'A JSON-RPC 2.0 request, notification or response',
    examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  });

export type RpcMessage = z.output<typeof rpcMessageSchema>;

/** The answer to a message. */
export const rpcAnswerSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: idSchema.nullish(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).meta({ id: 'McpError' }).optional(),
  })
  .meta({ id: 'McpAnswer', description: 'A JSON-RPC 2.0 response or, in a stream, also a notification' });
