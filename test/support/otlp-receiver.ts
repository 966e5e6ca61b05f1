import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const valueSchema = z.union([
  z.object({ stringValue: z.string() }).transform((value) => value.stringValue),
  z.object({ intValue: z.coerce.number() }).transform((value) => value.intValue),
  z.object({ doubleValue: z.number() }).transform((value) => value.doubleValue),
  z.object({ boolValue: z.boolean() }).transform((value) => value.boolValue),
  z
    .object({ arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })) }) })
    .transform(({ arrayValue }) => arrayValue.values.map((value) => value.stringValue)),
]);
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));

const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string().length(32),
              spanId: z.string().length(16),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.number(),
              startTimeUnixNano: z.coerce.bigint(),
              endTimeUnixNano: z.coerce.bigint(),
              attributes: attributesSchema,
              status: z.object({ code: z.number().optional() }).default({}),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A span as a collector gets it. */
export type ReceivedSpan = z.output<
  typeof exportSchema
>['resourceSpans'][number]['scopeSpans'][number]['spans'][number] & {
  readonly service: unknown;
};

/** A collector that keeps what it gets by OTLP over HTTP, as JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that was received, as it came. */
  received = '';
  headers: IncomingHttpHeaders = {};
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      void this.#answer(request, response);
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OtlpReceiver(server);
  }

  /** Returns the spans of a trace by name, each below the one that it names as its parent. */
  treeOf(traceId: string, parent?: string): SpanTree[] {
    const children = this.spans.filter((span) => span.traceId === traceId && span.parentSpanId === parent);
    const inOrder = children.toSorted((a, b) => Number(a.startTimeUnixNano - b.startTimeUnixNano));
    return inOrder.map(({ name, spanId }) => [name, this.treeOf(traceId, spanId)]);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.headers = request.headers;
    this.#take(request.url, body);
    response.setHeader('content-type', 'application/json').end('{}');
  }

  #take(path: string | undefined, body: string): void {
    if (path !== '/v1/traces') throw new Error(`nothing is expected at ${path}`);
    this.received += body;
    for (const { resource, scopeSpans } of exportSchema.parse(JSON.parse(body)).resourceSpans)
      for (const { spans } of scopeSpans)
        this.spans.push(...spans.map((span) => ({ ...span, service: resource.attributes['service.name'] })));
  }
}

/** A span and those below it. */
export type SpanTree = readonly [name: string, below: readonly SpanTree[]];
