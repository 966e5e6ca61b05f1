import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { KEEP_CONNECTIONS } from '../keep-connections.ts';

/** A server that answers as the vendors of command-line programs do, whatever it is asked. */
export interface VendorServer {
  /** What was asked for, and the status to answer with instead of a reply. */
  readonly asked: string[];
  status: number;
  /** Connects to it, whatever the host. */
  connect(): Promise<Socket>;
  close(): void;
}

/** Starts a server that speaks the API of each vendor, over plain http. */
export async function startVendorServer(): Promise<VendorServer> {
  const vendor = { asked: [] as string[], status: 200 };
  const server = createServer(KEEP_CONNECTIONS, (request, response) => {
    const { url = '' } = request;
    void text(request).then(
      () => {
        vendor.asked.push(`${request.method} ${request.headers.host}${url.split('?')[0]}`);
        if (/\/v1\/messages/.test(url)) return answer(response, vendor.status, MESSAGES);
        if (/\/responses/.test(url)) return answer(response, vendor.status, RESPONSES);
        if (/streamGenerateContent/.test(url)) return answer(response, vendor.status, CONTENTS);
        return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not here"}}');
      },
      () => response.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(vendor, {
    connect: async () => connect(port, '127.0.0.1'),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
}

type Event = Readonly<Record<string, unknown>> & { readonly type?: string };

function answer(response: ServerResponse, status: number, events: readonly Event[]): void {
  if (status !== 200) {
    const error = { type: 'authentication_error', code: status, message: `Refused with ${status}` };
    response.writeHead(status, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ type: 'error', error }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = event.type === undefined ? '' : `event: ${event.type}\n`;
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

const MESSAGES: readonly Event[] = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [],
      model: 'claude-sonnet-5-5',
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'there' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [],
  usage: {
    input_tokens: 100,
    output_tokens: 9,
    total_tokens: 109,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens_details: { reasoning_tokens: 2 },
  },
};
const ITEM = {
  type: 'message',
  id: 'item_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello there', annotations: [] }],
};
const RESPONSES: readonly Event[] = [
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', usage: null } },
  { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, content: [] } },
  { type: 'response.output_text.delta', item_id: 'item_1', output_index: 0, content_index: 0, delta: 'Hello there' },
  { type: 'response.output_item.done', output_index: 0, item: ITEM },
  { type: 'response.completed', response: RESPONSE },
];

const USAGE = { promptTokenCount: 50, candidatesTokenCount: 4, totalTokenCount: 54, cachedContentTokenCount: 10 };
const CONTENTS: readonly Event[] = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello ' }] }, index: 0 }], usageMetadata: USAGE },
  {
    candidates: [{ content: { role: 'model', parts: [{ text: 'there' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: USAGE,
  },
];
