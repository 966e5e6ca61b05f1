import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import { createGuardedFetch } from '../../core/network/guarded-fetch.ts';
import type { CallLimits } from '../transport/call-limits.ts';
import { httpAdapter } from '../transport/http-adapter.ts';
import { type ModelEvent, withTranscript } from '../model-adapter.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { openaiCompat } from './openai-compat.ts';

const KEY = 'sk-unit-0123456789abcdef';
const LIMITS: CallLimits = { firstByteMs: 100_000, idleMs: 100_000, totalMs: 100_000 };

// A provider that sends exactly the bytes a test gives it.
let reply: (response: ServerResponse) => void = (response) => response.end();
const server = createServer((request, response) => {
  request.resume();
  reply(response);
});
let baseUrl: string;
let guarded: ReturnType<typeof createGuardedFetch>;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  baseUrl = `http://127.0.0.1:${port}/v1`;
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${port}`));
});
afterAll(async () => {
  await guarded.close();
  server.closeAllConnections();
  server.close();
});

interface Said {
  readonly text: string;
  readonly isWhole: boolean;
  readonly end: string | undefined;
  readonly usage: Extract<ModelEvent, { type: 'usage' }>['usage'] | undefined;
  readonly failure: string | undefined;
}

async function ask(url = baseUrl, limits = LIMITS): Promise<Said> {
  const account = { id: null, name: 'Acme', providerType: 'openai-compatible', baseUrl: url, apiKey: KEY };
  const messages = [{ role: 'user' as const, content: 'hello' }];
  const request = { account, model: 'acme-1', messages, tools: [], temperature: 0, maxTokens: 100 };
  const events: ModelEvent[] = [];
  let failure: string | undefined;
  try {
    const stop = new AbortController().signal;
    for await (const event of httpAdapter(openaiCompat, guarded.requestStream, limits)(withTranscript(request), stop))
      events.push(event);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    failure = error.message;
  }
  const texts = events.flatMap((event) => (event.type === 'text' ? event.text : []));
  return {
    text: texts.join(''),
    // Text that is stored and shown chunk by chunk must not hold half a character.
    isWhole: texts.every((text) => text.isWellFormed()),
    end: events.find((event) => event.type === 'end')?.reason,
    usage: events.findLast((event) => event.type === 'usage')?.usage,
    failure,
  };
}

function chunk(delta: unknown, finish: string | null = null, rest: object = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`;
}

function respond(status: number, type: string, ...parts: (string | Buffer)[]): void {
  reply = (response) => {
    response.writeHead(status, { 'content-type': type });
    for (const part of parts) response.write(part);
    response.end();
  };
}

const stream = (...parts: (string | Buffer)[]) => respond(200, 'text/event-stream', ...parts);
const DONE = 'data: [DONE]\n\n';

describe('an answer', () => {
  test('is read the same when the stream is cut at any byte', async () => {
    const bytes = Buffer.from(
      `: hi\r\n\r\n${chunk({ content: 'Grüße, 世' })}${chunk({ content: '界 🌍' }, 'stop')}${DONE}`,
    );
    for (let cut = 1; cut < bytes.length; cut += 1) {
      reply = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))));
      };
      expect(await ask()).toMatchObject({ text: 'Grüße, 世界 🌍', isWhole: true, end: 'done', failure: undefined });
    }
  });

  test('keeps an emoji whole when its halves come as two deltas', async () => {
    stream(chunk({ content: 'a\uD83C' }), chunk({ content: '' }), chunk({ content: '\uDF0Db' }, 'stop'), DONE);
    expect(await ask()).toMatchObject({ text: 'a🌍b', isWhole: true });
  });

  test.each([
    ['\uD83Ca', '\uFFFDa'],
    ['a\uDF0D', 'a\uFFFD'],
    ['a\uD83C', 'a\uFFFD'],
  ])('replaces a half without its other half: %j', async (content, text) => {
    stream(chunk({ content }, 'stop'), DONE);
    expect(await ask()).toMatchObject({ text, isWhole: true, end: 'done' });
  });

  test('takes the first choice only, when the server sends several', async () => {
    const both = [
      { index: 1, delta: { content: 'B' }, finish_reason: null },
      { index: 0, delta: { content: 'A' }, finish_reason: null },
    ];
    const other = { index: 1, delta: { content: 'B' }, finish_reason: 'length' };
    stream(
      `data: ${JSON.stringify({ choices: both })}\n\n`,
      `data: ${JSON.stringify({ choices: [other] })}\n\n`,
      chunk({ content: 'a' }, 'stop'),
      DONE,
    );
    expect(await ask()).toMatchObject({ text: 'Aa', end: 'done' });
  });

  test('survives empty chunks', async () => {
    const empty = ['null', '42', '{}', '{"choices":null}', '{"choices":[]}'];
    stream(...empty.map((data) => `data: ${data}\n\n`), chunk(null), chunk({}), chunk({ content: null }));
    expect((await ask()).failure).toBe('Acme closed the connection before its reply was complete');
    stream(...empty.map((data) => `data: ${data}\n\n`), chunk({ content: 'x' }, 'stop'), DONE);
    expect(await ask()).toMatchObject({ text: 'x', end: 'done', failure: undefined });
  });

  test('ends with the mark alone, unless there was nothing before it', async () => {
    for (const mark of [DONE, 'data:[DONE]\n\n', 'data:  [DONE] \n\n']) {
      stream(chunk({ content: 'all' }), mark);
      expect(await ask()).toMatchObject({ text: 'all', end: 'done', failure: undefined });
    }
    stream(chunk({ role: 'assistant', content: '' }), DONE);
    expect((await ask()).failure).toBe('Acme closed the connection before its reply was complete');
    stream(chunk({ content: 'cut' }, 'length'), DONE);
    expect(await ask()).toMatchObject({ text: 'cut', end: 'length' });
  });

  test('may have ended without text by its reason and usage, unless text follows', () => {
    const reader = openaiCompat.createReader({ model: 'acme-1' });
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    reader.read({ choices: [{ delta: { reasoning_content: 'hm' } }], usage });
    expect(reader.isEnding).toBe(false);
    reader.read({ choices: [{ delta: { content: '' }, finish_reason: 'stop' }], usage });
    expect(reader.isEnding).toBe('perhaps');
    reader.read({ choices: [{ delta: { content: 'hi' } }] });
    expect(reader.isEnding).toBe(false);
  });

  test('leaves out what the model only thought', async () => {
    stream(
      chunk({ reasoning_content: 'hm' }),
      chunk({
        content: [
          { type: 'thinking', thinking: [] },
          { type: 'text', text: 'yes' },
        ],
      }),
      chunk({}, 'stop'),
      DONE,
    );
    expect(await ask()).toMatchObject({ text: 'yes', end: 'done' });
  });

  test('contains the words of a refusal', async () => {
    stream(chunk({ content: null, refusal: 'I cannot ' }), chunk({ refusal: 'do that.' }, 'stop'), DONE);
    expect((await ask()).text).toBe('I cannot do that.');
  });

  test.each([
    [
      'on a chunk of its own',
      [chunk({}, 'stop'), 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'],
    ],
    ['on the last chunk', [chunk({}, 'stop', { usage: { prompt_tokens: 3, completion_tokens: 4 } })]],
    [
      'on every chunk, growing',
      [
        chunk({ content: 'a' }, null, { usage: { prompt_tokens: 3, completion_tokens: 1 } }),
        chunk({}, 'stop', { usage: { prompt_tokens: 3, completion_tokens: 4 } }),
      ],
    ],
    [
      'before zeros',
      [
        chunk({}, 'stop', { usage: { prompt_tokens: 3, completion_tokens: 4 } }),
        'data: {"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}\n\n',
      ],
    ],
    [
      'with one of them each time',
      [
        chunk({}, null, { usage: { prompt_tokens: 3, completion_tokens: 0 } }),
        chunk({}, 'stop', { usage: { prompt_tokens: 0, completion_tokens: 4 } }),
      ],
    ],
  ])('reports the tokens used, when they stand %s', async (_where, parts) => {
    stream(...parts, DONE);
    expect((await ask()).usage).toEqual({ inputTokens: 3, outputTokens: 4, estimated: false });
  });

  test('keeps the parts of the tokens used that a later chunk leaves out', async () => {
    const counts = { prompt_tokens: 30, completion_tokens: 4 };
    const parts = {
      prompt_tokens_details: { cached_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    stream(chunk({}, 'stop', { usage: { ...counts, ...parts } }), chunk({}, null, { usage: counts }), DONE);
    expect((await ask()).usage).toEqual({
      inputTokens: 30,
      outputTokens: 4,
      cachedInputTokens: 20,
      reasoningTokens: 3,
      estimated: false,
    });
  });

  test.each([
    ['negative', { prompt_tokens: -1, completion_tokens: 4 }],
    ['text', { prompt_tokens: '3', completion_tokens: 4 }],
    ['beyond counting', { prompt_tokens: 1e300, completion_tokens: 4 }],
    ['half missing', { prompt_tokens: 3 }],
    ['nothing', { prompt_tokens: 0, completion_tokens: 0 }],
  ])('reports no tokens, when the numbers are %s', async (_what, usage) => {
    stream(chunk({ content: 'x' }, 'stop', { usage }), DONE);
    expect(await ask()).toMatchObject({ text: 'x', usage: undefined, failure: undefined });
  });

  test('is taken from a whole JSON document, when the server does not stream', async () => {
    respond(
      200,
      'application/json; charset=utf-8',
      JSON.stringify({
        choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      }),
    );
    expect(await ask()).toMatchObject({
      text: 'whole',
      end: 'done',
      usage: { inputTokens: 1, outputTokens: 2, estimated: false },
      failure: undefined,
    });
  });
});

describe('a failure', () => {
  const json = (status: number, message: string, code: string | null = null) =>
    respond(status, 'application/json', JSON.stringify({ error: { message, type: 'x', code } }));

  test.each([
    [400, 'temperature is bad', null, 'Acme rejected the request (HTTP 400: temperature is bad)'],
    [
      400,
      "This model's maximum context length is 8192 tokens.",
      'context_length_exceeded',
      'Acme cannot accept the conversation: it is too long for the model "acme-1" (HTTP 400: This model\'s maximum context length is 8192 tokens). Start a new chat, or exclude long messages from this one',
    ],
    [
      400,
      'prompt is too long: 9 > 8',
      null,
      'Acme cannot accept the conversation: it is too long for the model "acme-1" (HTTP 400: prompt is too long: 9 > 8). Start a new chat, or exclude long messages from this one',
    ],
    [401, 'Bad key.', null, "Acme rejected the credentials (HTTP 401: Bad key). Check the account's API key"],
    [403, 'No.', null, "Acme denied access (HTTP 403: No). Check what the account's API key may use"],
    [
      402,
      'Pay.',
      null,
      'Acme has no credit left for this account (HTTP 402: Pay). Add credit at the provider, then send the message again',
    ],
    [
      404,
      'No such model.',
      'model_not_found',
      'Acme does not have the model "acme-1", or not at this address (HTTP 404: No such model). Check the model\'s name and the account\'s base_url',
    ],
    [429, 'Slow down.', null, 'Acme has reached the rate limit of this account (HTTP 429: Slow down). Try again later'],
    [
      429,
      'You exceeded your quota.',
      'insufficient_quota',
      'Acme has no credit left for this account (HTTP 429: You exceeded your quota). Add credit at the provider, then send the message again',
    ],
    [503, 'Busy.', null, 'Acme failed (HTTP 503: Busy). Try again later'],
  ])('says what happened and what to do, when the status is %d (%s)', async (status, message, code, expected) => {
    json(status, message, code);
    expect((await ask()).failure).toBe(expected);
  });

  test('shows no page, when a gateway answers 502 with one', async () => {
    respond(502, 'text/html', '<!DOCTYPE html><html><body>Bad Gateway</body></html>');
    expect((await ask()).failure).toBe('Acme failed (HTTP 502 with a web page). Try again later');
  });

  test('needs no words of the provider, when an error has no body', async () => {
    respond(500, 'application/json');
    expect((await ask()).failure).toBe('Acme failed (HTTP 500). Try again later');
  });

  test.each([
    ['text/html', '<html></html>', 'a web page where'],
    ['text/plain', 'hi', '"text/plain" where'],
    ['application/json', '{"detail":"hi"}', 'JSON that is no chat completion'],
    ['application/json', 'hi', 'JSON that is no chat completion'],
    ['application/json', 'null', 'JSON that is no chat completion'],
  ])('is told, when a success is of the type %s and says %s', async (type, body, expected) => {
    respond(200, type, body);
    const { failure, text } = await ask();
    expect(failure).toContain(expected);
    expect(text).toBe('');
  });

  test('is reported, when a success contains an error as JSON', async () => {
    respond(200, 'application/json', '{"error":{"message":"upstream is down"}}');
    expect((await ask()).failure).toBe('Acme reported an error in its reply: upstream is down');
  });

  test.each(['{"choices":[null]}', '{"choi'])('is told, when the stream holds %s', async (data) => {
    stream(`data: ${data}\n\n`, DONE);
    expect((await ask()).failure).toBe('Acme sent something that is not a streamed chat completion');
  });

  test('is reported, when the stream ends with the finish reason "error"', async () => {
    stream(chunk({ content: 'half' }), chunk({}, 'error'), DONE);
    expect(await ask()).toMatchObject({ text: 'half', end: undefined });
    expect((await ask()).failure).toBe('Acme broke off its reply because of an internal error');
  });

  test('is reported, when nobody listens at the address', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const open = createGuardedFetch(parsePrivateHosts('127.0.0.1:*'));
    const previous = guarded;
    guarded = open;
    const { failure } = await ask(`http://127.0.0.1:${port}/v1`);
    guarded = previous;
    await open.close();
    expect(failure).toBe('Acme could not be reached: nothing listens at its address (connection refused)');
  });

  test.each(['http://10.0.0.1/v1', 'http://169.254.169.254/latest', 'http://[::1]:9/v1', 'http://localhost:1/v1'])(
    'is told and nothing is sent, when the address is private (%s)',
    async (url) => {
      expect((await ask(url)).failure).toContain('cannot be called: The address leads to a private address');
    },
  );

  test('contains no key, when the provider repeats it in any way', async () => {
    const said = `key ${KEY}, Bearer ${KEY}, sk-unit-0123********cdef, ${encodeURIComponent(KEY)}`;
    json(401, said);
    const { failure } = await ask();
    expect(failure).not.toContain(KEY);
    expect(failure).not.toMatch(/sk-unit|cdef/);
    stream(`data: ${JSON.stringify({ error: { message: said } })}\n\n`);
    expect((await ask()).failure).not.toMatch(/sk-unit|cdef/);
  });

  test('comes at the limit for the first byte, when the headers are followed by nothing', async () => {
    reply = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const { failure } = await ask(baseUrl, { ...LIMITS, firstByteMs: 200 });
    expect(failure).toBe('Acme did not begin its reply within 0.2 seconds');
  });

  test('comes at the limit for silence, when the stream pauses too long', async () => {
    reply = (response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk({ content: 'x' }));
    const said = await ask(baseUrl, { ...LIMITS, idleMs: 200 });
    expect(said.text).toBe('x');
    expect(said.failure).toBe('Acme stopped in the middle of its reply and sent nothing for 0.2 seconds');
  });

  test('comes at the limit for the whole, when the answer drips on', async () => {
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(': still here\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const { failure } = await ask(baseUrl, { ...LIMITS, totalMs: 400 });
    expect(failure).toBe('Acme did not finish its reply within 0.4 seconds');
  });

  test('comes early, when an endless body is no event', async () => {
    reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const block = Buffer.alloc(1024 * 1024, 'x');
      const pump = () => {
        while (!response.destroyed && response.write(block)) continue;
      };
      response.on('drain', pump);
      pump();
    };
    const { failure } = await ask(baseUrl, LIMITS);
    expect(failure).toBe('Acme sent far more than a reply can contain');
  });
});
