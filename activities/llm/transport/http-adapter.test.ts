import { createGzip, constants } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { waitUntil } from '../../../test/support/wait-until.ts';
import {
  ask,
  buildRequest,
  json,
  KEY,
  LIMITS,
  startWireServer,
  stream,
  type WireReply,
  type WireServer,
} from '../../../test/support/wire-servers/index.ts';
import { anthropic } from '../anthropic.ts';
import { gemini } from '../gemini.ts';
import { type ModelAdapter, type RenderedTranscript, withTranscript } from '../model-adapter.ts';
import { openaiCompat } from '../openai-compat/openai-compat.ts';
import type { WireFormat } from '../wire-format.ts';
import { httpAdapter } from './http-adapter.ts';

const delta = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const END = `${delta('', 'stop')}data: [DONE]\n\n`;

let server: WireServer;
let adapter: ModelAdapter;
beforeAll(async () => {
  server = await startWireServer();
  adapter = httpAdapter(openaiCompat, server.requestStream, LIMITS);
});
afterAll(() => server.close());

const say = async (reply: WireReply) => {
  server.answer(reply);
  return ask(adapter, buildRequest(server.url));
};

/** Remembers the connections on which replies are sent, and whether each of them has closed. */
function watched(reply: WireReply) {
  const connections = new Set<unknown>();
  let closings = 0;
  const watching: WireReply = (response, request) => {
    if (!connections.has(response.socket)) response.socket?.once('close', () => (closings += 1));
    connections.add(response.socket);
    reply(response, request);
  };
  return { reply: watching, connections, closed: () => (closings > 0 ? true : undefined) };
}

/** Calls until six calls have been served by connections that had served one before. */
async function untilReused(connections: ReadonlySet<unknown>, call: () => Promise<void>): Promise<void> {
  let calls = 0;
  await waitUntil('connections to serve later calls', async () => {
    await call();
    calls += 1;
    return calls - connections.size >= 6 || undefined;
  });
}

describe('the connection of a model call', () => {
  test('serves later ones when the body ends soon after its last event', async () => {
    const { reply, connections } = watched((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('x') + END);
      setTimeout(() => response.end(), 5);
    });
    // A process that stands still for a moment ends one too late.
    await untilReused(connections, async () => expect(await say(reply)).toMatchObject({ text: 'x', end: 'done' }));
  });

  test('serves later ones after an error', async () => {
    const { reply, connections } = watched(json(429, { error: { message: 'slow' } }));
    // A call that begins in the very moment in which another ends takes another connection.
    await untilReused(connections, async () => expect(await say(reply)).toMatchObject({ kind: 'busy' }));
  });

  test.each<[string, WireReply]>([
    [
      'an answer does not end after its last event',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('x') + END),
    ],
    ['it answers with a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<html>')],
    ['it redirects', (response) => response.writeHead(302, { location: '/' }).write('x')],
    ['an error is without an end', (response) => response.writeHead(500).write('x'.repeat(100_000))],
  ])('is closed when %s', async (_when, answer) => {
    const { reply, closed } = watched(answer);
    await say(reply);
    await waitUntil('the connection to close', closed);
  });

  test('is closed when the turn is interrupted, which ends the call at once', async () => {
    const { reply, closed } = watched((response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('x')),
    );
    server.answer(reply);
    const stop = new AbortController();
    const heard: unknown[] = [];
    const listening = (async () => {
      for await (const event of adapter(withTranscript(buildRequest(server.url)), stop.signal)) {
        heard.push(event);
        stop.abort(new Error('interrupted'));
      }
    })();
    await expect(listening).rejects.toThrow('interrupted');
    expect(heard).toEqual([{ type: 'text', text: 'x' }]);
    await waitUntil('the connection to close', closed);
  });

  test('is closed when nobody listens any more', async () => {
    const { reply, closed } = watched((response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('x')),
    );
    server.answer(reply);
    for await (const event of adapter(withTranscript(buildRequest(server.url)), new AbortController().signal)) {
      expect(event).toEqual({ type: 'text', text: 'x' });
      break;
    }
    await waitUntil('the connection to close', closed);
  });
});

test('a model call sends the headers of the account, and none that identify this machine', async () => {
  await say(stream(delta('x'), END));
  expect(server.requests[0]?.headers).toEqual({
    host: new URL(server.url).host,
    connection: 'keep-alive',
    'content-length': expect.any(String),
    accept: '*/*',
    'accept-encoding': 'identity',
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    'user-agent': 'everturn',
  });
});

test('an answer that is compressed unasked is heard as it arrives', async () => {
  let goOn: () => void = () => undefined;
  server.answer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    gzip.pipe(response);
    gzip.write(delta('early '));
    goOn = () => gzip.end(delta('late') + END);
  });
  const texts: string[] = [];
  for await (const event of adapter(withTranscript(buildRequest(server.url)), new AbortController().signal)) {
    if (event.type !== 'text') continue;
    texts.push(event.text);
    // The stream must not be ended a second time.
    if (texts.length === 1) goOn();
  }
  expect(texts).toEqual(['early ', 'late']);
});

test('an answer in an unknown encoding is refused in words', async () => {
  const reply: WireReply = (response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end('x');
  expect(await say(reply)).toMatchObject({
    kind: 'outage',
    failure: 'Acme could not be reached: its answer is encoded in a way that is not supported',
  });
});

test('the transcript of a call is rendered for each request, and released before the reply', async () => {
  const whole = { ...buildRequest(server.url), temperature: 0.25 };
  const events: string[] = [];
  const { transcript, ...call } = withTranscript(whole);
  const request = {
    ...call,
    model: 'picky-1',
    transcript: {
      read: async <T>(build: (given: RenderedTranscript) => T, sizeOf: (built: T) => number = () => 0) => {
        const built = await transcript.read(build);
        events.push(`read for ${sizeOf(built) > 100 ? 'a request' : 'nothing'}`);
        return built;
      },
      release: () => void events.push('sent'),
    },
  };
  const replies = [json(400, { error: { message: 'temperature is not supported' } }), stream(END)];
  server.answer((response, asked) => {
    events.push('answered');
    replies.shift()?.(response, asked);
  });
  for await (const event of adapter(request, new AbortController().signal)) events.push(event.type);
  expect(events).toEqual(['read for a request', 'sent', 'answered', 'read for a request', 'sent', 'answered', 'end']);
});

describe('a connection that its provider keeps open', () => {
  test.each([
    ['with its usage', 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'],
    ['without it', ''],
  ])('does not hold up a reply that has said how it ends, %s', async (_what, rest) => {
    const said = await say(stalledAfter(delta('all', 'stop') + rest));
    expect(said).toMatchObject({ text: 'all', end: 'done', failure: undefined });
    expect(said.usage?.outputTokens).toBe(rest === '' ? undefined : 4);
  });

  const counts = '{"promptTokenCount":3,"candidatesTokenCount":4}';
  test.each([
    [
      'of a completion without text',
      openaiCompat,
      'data: {"choices":[{"delta":{},"finish_reason":"length"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n',
    ],
    [
      'of Anthropic without text',
      anthropic,
      'data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"input_tokens":3,"output_tokens":4}}\n\n',
    ],
    [
      'of Gemini',
      gemini,
      `data: {"candidates":[{"content":{"parts":[{"text":"all"}]},"finishReason":"MAX_TOKENS"}],"usageMetadata":${counts}}\n\n`,
    ],
  ])('does not hold up a reply %s that has told its usage', async (_what, format, events) => {
    server.answer(stalledAfter(events));
    const said = await ask(httpAdapter(format, server.requestStream, LIMITS), buildRequest(server.url));
    expect(said).toMatchObject({ end: 'length', failure: undefined, usage: { outputTokens: 4 } });
  });

  test('does not delay a reply by empty chunks', async () => {
    const said = await say(stalledAfter(delta('all', 'stop'), 'data: {"choices":[]}\n\n'));
    expect(said).toMatchObject({ text: 'all', end: 'done', failure: undefined });
  });

  function stalledAfter(events: string, more = ': still here\n\n'): WireReply {
    return (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events);
      const writing = setInterval(() => response.write(more), 50);
      response.on('close', () => clearInterval(writing));
    };
  }
});

describe('a reply that pauses after a reason to end', () => {
  const thought = 'data: {"choices":[{"delta":{"reasoning_content":"hm"},"finish_reason":"stop"}]}\n\n';
  const USAGE = '"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}';
  const candidate = (parts: string) =>
    `data: {"candidates":[{"content":{"parts":[${parts}]},"finishReason":"STOP"}],${USAGE}}\n\n`;

  test.each([
    ['without content', openaiCompat, thought, delta('all', 'stop') + END],
    ['with each chunk of the content', openaiCompat, delta('a', 'stop') + delta('l', 'stop'), delta('l', 'stop') + END],
    ['before the content', openaiCompat, thought + delta('a'), delta('ll') + END],
    ['without content, of Gemini', gemini, candidate(''), candidate('{"text":"all"}')],
    ['with content, of Gemini', gemini, candidate('{"text":"a"}'), candidate('{"text":"ll"}')],
  ])('%s is read to its end', async (_what, format, first, rest) => {
    const end = Promise.withResolvers<void>();
    const said = await askPausing(format, [first, rest], end.promise, async () => {
      await jest.advanceTimersByTimeAsync(10_000);
      end.resolve();
    });
    expect(said).toMatchObject({ text: 'all', end: 'done', failure: undefined });
  });

  test.each([
    ['in one chunk', candidate('{"text":"all"}')],
    ['without usage', candidate('{"text":"all"}').replace(`,${USAGE}`, '')],
  ])('and goes on no more is complete in the end, of Gemini %s too', async (_how, first) => {
    const never = new Promise<void>(() => undefined);
    const said = await askPausing(gemini, [first, ''], never, async () => {
      await jest.advanceTimersByTimeAsync(31_000);
    });
    expect(said).toMatchObject({ text: 'all', end: 'done', failure: undefined });
  });

  /** Asks a model that pauses after the first part of its reply, by a clock that `onPause` moves. */
  async function askPausing(
    format: WireFormat,
    [first, rest]: readonly [string, string],
    pause: Promise<void>,
    onPause: () => Promise<void>,
  ) {
    const begun = Promise.withResolvers<void>();
    const body = {
      async *[Symbol.asyncIterator]() {
        yield Buffer.from(first);
        begun.resolve();
        await pause;
        yield Buffer.from(rest);
        return undefined;
      },
      cancel: async () => undefined,
    };
    const headers = new Headers({ 'content-type': 'text/event-stream' });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const pausing = httpAdapter(format, async () => ({ status: 200, headers, body }), {
        ...LIMITS,
        totalMs: 120_000,
        idleMs: 60_000,
      });
      const asking = ask(pausing, buildRequest(server.url));
      await begun.promise;
      await onPause();
      return await asking;
    } finally {
      jest.useRealTimers();
    }
  }
});
