import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import { writeToken } from './token-clock.ts';

// A model whose tokens say when they were written, as a process of its own: `node stream-model.ts <tokens a second>`.
// Every answer runs at the same rate until `POST /end`. Prints { url } as one line when it listens.

const tokensASecond = Number(process.argv[2]);
const HEAD = '{"id":"s","object":"chat.completion.chunk","created":1,"model":"stream","choices":[{"index":0,';

/** An answer on its way. */
interface Stream {
  readonly response: ServerResponse;
  readonly startedAt: number;
  sent: number;
}

const streams = new Set<Stream>();

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const stream = { response, startedAt: preciseNow(), sent: 0 };
  streams.add(stream);
  response.on('close', () => streams.delete(stream));
  // The replies drift apart.
  setTimeout(() => sayNext(stream), (streams.size * 7) % (1000 / tokensASecond));
}

function sayNext(stream: Stream): void {
  if (!streams.has(stream)) return;
  const { response, startedAt } = stream;
  response.write(`data: ${HEAD}"delta":{"content":"${writeToken(preciseNow())}"},"finish_reason":null}]}\n\n`);
  stream.sent += 1;
  const dueAt = startedAt + (stream.sent * 1000) / tokensASecond;
  setTimeout(() => sayNext(stream), Math.max(0, dueAt - preciseNow()));
}

function end({ response, sent }: Stream): void {
  const usage = `{"prompt_tokens":10,"completion_tokens":${sent},"total_tokens":${sent + 10}}`;
  response.end(`data: ${HEAD}"delta":{},"finish_reason":"stop"}],"usage":${usage}}\n\ndata: [DONE]\n\n`);
}

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/end') {
    for (const stream of streams) end(stream);
    streams.clear();
    response.end();
  } else begin(response);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/v1` })}\n`);
});
process.once('SIGTERM', () => process.exit());
