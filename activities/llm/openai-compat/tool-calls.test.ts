import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MAX_ARGUMENT_CHARACTERS } from '../../../domain/tool-calls/tool-call.ts';
import type { ModelMessage } from '../../../domain/transcripts/model-message.ts';
import {
  ask,
  buildRequest,
  json,
  LIMITS,
  startWireServer,
  stream,
  TIME_TOOL,
  type WireReply,
  type WireServer,
} from '../../../test/support/wire-servers/index.ts';
import type { ModelRequest } from '../model-adapter.ts';
import { httpAdapter } from '../transport/http-adapter.ts';
import { openaiCompat } from './openai-compat.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());

const say = (change: Parameters<typeof buildRequest>[1] = {}) =>
  ask(
    httpAdapter(openaiCompat, server.requestStream, LIMITS),
    buildRequest(`${server.url}/v1`, { tools: [TIME_TOOL], ...change }),
  );

const chunk = (delta: unknown, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const calls = (...deltas: unknown[]) => chunk({ tool_calls: deltas });
const DONE = 'data: [DONE]\n\n';
const END = chunk({}, 'tool_calls') + DONE;
const lastBody = () => server.requests.at(-1)?.body ?? {};

const A = { name: 'time_now', argumentsText: '{"zone":"UTC"}' };
const B = { name: 'file_read', argumentsText: '{"path":"a"}' };

describe('tool calls', () => {
  test.each<[string, string[], (typeof A)[]]>([
    [
      'come in chunks, interleaved',
      [
        calls({ index: 0, id: 'a', type: 'function', function: { name: 'time_now', arguments: '' } }),
        calls({ index: 1, id: 'b', type: 'function', function: { name: 'file_read', arguments: '' } }),
        calls({ index: 0, function: { arguments: '{"zone"' } }, { index: 1, function: { arguments: '{"path":' } }),
        calls({ index: 1, function: { arguments: '"a"}' } }),
        calls({ index: 0, function: { arguments: ':"UTC"}' } }),
      ],
      [A, B],
    ],
    [
      'come in chunks, interleaved, with their indexes as texts',
      [
        calls(
          { index: '0', id: 'a', function: { name: 'time_now', arguments: '' } },
          { index: '1', id: 'b', function: { name: 'file_read', arguments: '' } },
        ),
        calls({ index: '0', function: { arguments: '{"zone"' } }, { index: '1', function: { arguments: '{"path":' } }),
        calls({ index: '1', function: { arguments: '"a"}' } }, { index: '0', function: { arguments: ':"UTC"}' } }),
      ],
      [A, B],
    ],
    [
      'are sent whole in one delta without an index',
      [
        calls(
          { id: 'a', function: { name: A.name, arguments: A.argumentsText } },
          { id: 'b', function: { name: B.name, arguments: B.argumentsText } },
        ),
      ],
      [A, B],
    ],
    [
      'have neither index nor id, one delta each',
      [
        calls({ function: { name: A.name, arguments: A.argumentsText } }),
        calls({ function: { name: A.name, arguments: A.argumentsText } }),
      ],
      [A, A],
    ],
    [
      'have no index but ids, in chunks',
      [
        calls({ id: 'a', function: { name: 'time_now', arguments: '{"zone"' } }),
        calls({ id: 'b', function: { name: 'file_read', arguments: '{"path"' } }),
        calls({ id: 'a', function: { arguments: ':"UTC"}' } }),
        calls({ id: 'b', function: { arguments: ':"a"}' } }),
      ],
      [A, B],
    ],
    [
      'all have the index 0',
      [
        calls({ index: 0, id: 'a', function: { name: A.name, arguments: A.argumentsText } }),
        calls({ index: 0, id: 'b', function: { name: B.name, arguments: B.argumentsText } }),
      ],
      [A, B],
    ],
    [
      'all have the same id',
      [
        calls({ index: 0, id: 'x', function: { name: A.name, arguments: A.argumentsText } }),
        calls({ index: 1, id: 'x', function: { name: B.name, arguments: B.argumentsText } }),
      ],
      [A, B],
    ],
    [
      'all have the same id and name, with their arguments apart from their heads',
      [
        calls({ index: 0, id: 'x', function: { name: A.name, arguments: '' } }),
        calls({ index: 0, function: { arguments: '{}' } }),
        calls({ index: 1, id: 'x', function: { name: A.name, arguments: '' } }),
        calls({ index: 1, function: { arguments: '{}' } }),
        calls({ index: 2, id: 'x', function: { name: A.name, arguments: '' } }),
        calls({ index: 2, function: { arguments: A.argumentsText } }),
      ],
      [{ ...A, argumentsText: '{}' }, { ...A, argumentsText: '{}' }, A],
    ],
    [
      'repeat the name and change the id with every chunk',
      [
        calls({ index: 0, id: 'a', function: { name: 'time_now', arguments: '{"zone":' } }),
        calls({ index: 0, id: 'b', function: { name: 'time_now', arguments: '"UTC"}' } }),
      ],
      [A],
    ],
    [
      'have a name in parts',
      [
        calls({ index: 0, id: 'a', function: { name: 'time' } }),
        calls({ index: 0, function: { name: '_now' } }),
        calls({ index: 0, function: { arguments: '{"zone":"UTC"}' } }),
      ],
      [A],
    ],
    [
      'are repeated whole at the end',
      [
        calls({ index: 0, id: 'a', function: { name: 'time_now', arguments: '{"zone":' } }),
        calls({ index: 0, function: { arguments: '"UTC"}' } }),
        calls({ index: 0, id: 'a', function: { name: A.name, arguments: A.argumentsText } }),
      ],
      [A],
    ],
    [
      'have arguments as an object',
      [calls({ index: 0, id: 'a', function: { name: 'time_now', arguments: { zone: 'UTC' } } })],
      [A],
    ],
    [
      'come in the older form',
      [
        chunk({ function_call: { name: 'time_now', arguments: '{"zone":' } }),
        chunk({ function_call: { arguments: '"UTC"}' } }),
      ],
      [A],
    ],
    [
      'have their arguments under another index than their heads',
      [
        calls({ index: 0, id: 'a', function: { name: 'time_now', arguments: '' } }),
        calls({ index: 1, function: { arguments: '{"zone"' } }),
        calls({ index: 1, function: { arguments: ':"UTC"}' } }),
        calls({ index: 1, id: 'b', function: { name: 'file_read', arguments: '' } }),
        calls({ index: 2, function: { arguments: '{"path":"a"}' } }),
        calls({ index: 3, function: { arguments: '{"nobody":"s"}' } }),
      ],
      [A, B],
    ],
    [
      'have their arguments under other indexes, with their id and then their name too',
      [
        calls({ index: 0, id: 'a', function: { name: 'time_now', arguments: '' } }),
        calls({ index: 1, id: 'a', function: { arguments: '{"zone"' } }),
        calls({ index: 2, id: 'a', function: { name: 'time_now', arguments: ':"UTC"}' } }),
        calls({ index: 3, id: 'b', function: { name: 'file_read', arguments: '' } }),
        calls({ index: 4, id: 'c', function: { arguments: '{"path":"a"}' } }),
      ],
      [A, B],
    ],
    [
      'are repeated whole under another index at the end',
      [
        calls({ index: 0, id: 'a', function: { name: A.name, arguments: A.argumentsText } }),
        calls({ index: 1, id: 'a', function: { name: A.name, arguments: A.argumentsText } }),
      ],
      [A],
    ],
    [
      'have neither ids nor indexes of their own',
      [
        calls({ index: 0, function: { name: 'time_now', arguments: '' } }),
        calls({ index: 0, function: { arguments: A.argumentsText } }),
        calls({ index: 0, function: { name: 'file_read', arguments: '' } }),
        calls({ index: 0, function: { arguments: B.argumentsText } }),
      ],
      [A, B],
    ],
    [
      'stand among nonsense',
      [
        calls(null, 7, {}, { index: 0 }),
        calls({ index: 0, id: 'a', function: A }),
        calls({ index: 0, function: { arguments: A.argumentsText } }),
      ],
      [A],
    ],
  ])('are read when they %s', async (_how, chunks, expected) => {
    server.answer(stream(chunk({ role: 'assistant', content: 'Hm. ' }), ...chunks, END));
    expect(await say()).toMatchObject({ text: 'Hm. ', calls: expected, end: 'done', failure: undefined });
  });

  test('are read when the stream has nothing but its mark at the end', async () => {
    const function_call = { name: A.name, arguments: A.argumentsText };
    for (const event of [calls({ index: 0, id: 'a', function: function_call }), chunk({ function_call })]) {
      server.answer(stream(event, DONE));
      expect(await say()).toMatchObject({ calls: [A], end: 'done', failure: undefined });
    }
  });

  test('are no reply when one is unfinished at a mark without a reason, and are when none has arguments', async () => {
    const head = calls({ index: 0, id: 'a', function: { name: A.name, arguments: '' } });
    for (const half of ['{"zone":', '{"zone":"U', '"{']) {
      server.answer(stream(head, calls({ index: 0, function: { arguments: half } }), DONE));
      expect(await say()).toMatchObject({ calls: [], end: undefined, kind: 'outage' });
    }
    for (const whole of ['', ' ', 'null', A.argumentsText, JSON.stringify(A.argumentsText)]) {
      server.answer(stream(head, calls({ index: 0, function: { arguments: whole } }), DONE));
      expect(await say()).toMatchObject({ calls: [{ name: A.name, argumentsText: whole }], end: 'done' });
    }
  });

  test('are read when the model says that it simply stopped', async () => {
    server.answer(
      stream(calls({ index: 0, id: 'a', function: { name: A.name, arguments: '' } }), chunk({}, 'stop'), DONE),
    );
    expect(await say()).toMatchObject({ calls: [{ name: 'time_now', argumentsText: '' }], end: 'done' });
  });

  test('are read from a whole JSON document', async () => {
    const message = {
      content: null,
      tool_calls: [
        { id: 'a', function: { name: A.name, arguments: A.argumentsText } },
        { id: 'b', function: { name: B.name, arguments: { path: 'a' } } },
      ],
    };
    server.answer(json(200, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
    expect(await say()).toMatchObject({ calls: [A, B], end: 'done' });
  });

  const whole =
    (document: string): WireReply =>
    (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(document);

  test.each([
    ['a stream', (choices: string) => stream(`data: {"choices":${choices.replace('message', 'delta')}}\n\n`, DONE)],
    ['a whole JSON document', (choices: string) => whole(`{"choices":${choices}}`)],
  ])('keep the numbers of their arguments in %s, whose own numbers may be written in any way', async (_in, reply) => {
    const call = (index: string, args: string) => `{"index":${index},"function":{"name":"f","arguments":${args}}}`;
    const toolCalls = [
      call('0.0', '{"id":12345678901234567890,"price":1.10}'),
      call('1.0', '""'),
      call('1.00', String.raw`"{\"a\":"`),
      call('1e0', '"1}"'),
    ];
    const message = `{"tool_calls":[${toolCalls.join(',')}]}`;
    server.answer(reply(`[{"index":0.0,"message":${message},"finish_reason":"tool_calls"}]`));
    expect((await say()).calls).toEqual([
      { name: 'f', argumentsText: '{"id":12345678901234567890,"price":1.10}' },
      { name: 'f', argumentsText: '{"a":1}' },
    ]);
  });

  test('are left out when the token limit cut them', async () => {
    server.answer(
      stream(
        calls({ index: 0, id: 'a', function: { name: A.name, arguments: A.argumentsText } }),
        calls({ index: 1, id: 'b', function: { name: B.name, arguments: '{"pa' } }),
        chunk({}, 'length'),
        DONE,
      ),
    );
    expect(await say()).toMatchObject({ calls: [A], end: 'length' });
  });

  test('are not reported when the stream breaks off', async () => {
    server.answer(stream(calls({ index: 0, id: 'a', function: { name: A.name, arguments: A.argumentsText } })));
    expect(await say()).toMatchObject({ calls: [], kind: 'outage' });
  });

  test('are bounded in length and number', async () => {
    const part = 'x'.repeat(100_000);
    const chunks = Array.from({ length: 4 }, () => calls({ index: 0, function: { arguments: part } }));
    const many = Array.from({ length: 400 }, (_, index) => ({
      index: index + 1,
      id: `c${index}`,
      function: { name: 'f', arguments: '{}' },
    }));
    server.answer(stream(calls({ index: 0, id: 'a', function: { name: 'time_now' } }), ...chunks, calls(...many), END));
    const said = await say();
    expect(said.calls[0]?.argumentsText).toHaveLength(MAX_ARGUMENT_CHARACTERS + 1);
    expect(said.calls).toHaveLength(256);
  });
});

describe('a request', () => {
  const transcript: ModelMessage[] = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'time?' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'call-1', name: 'time now!', arguments: { zone: 'UTC' } }] },
    { role: 'tool', callId: 'call-1', name: 'time now!', content: 'noon', isError: false },
  ];
  const ok = stream(chunk({ content: 'x' }, 'stop'), DONE);

  test('has tools only when there are any', async () => {
    server.answer(ok);
    await say({ tools: [] });
    expect(lastBody()).not.toHaveProperty('tools');
    await say();
    expect(lastBody()['tools']).toEqual([{ type: 'function', function: TIME_TOOL }]);
  });

  test('sends calls and their results natively', async () => {
    server.answer(ok);
    await say({ messages: transcript });
    expect(lastBody()['messages']).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'time?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call-1', type: 'function', function: { name: 'time_now_', arguments: '{"zone":"UTC"}' } }],
      },
      { role: 'tool', tool_call_id: 'call-1', content: 'noon' },
    ]);
  });

  test('has ids of nine letters and digits when it goes to Mistral', async () => {
    server.answer(ok);
    await say({ messages: transcript, providerType: 'mistral' });
    expect(JSON.stringify(lastBody()).match(/call\d{5}/g)).toEqual(['call00001', 'call00001']);
  });

  test('gives back the reasoning and signatures that came with calls, to the same model only', async () => {
    const extra = { google: { thought_signature: 'sig' } };
    server.answer(
      stream(
        chunk({ reasoning_content: 'I ' }),
        chunk({ reasoning_content: 'see' }),
        calls({ index: 0, id: 'a', extra_content: extra, function: { name: A.name, arguments: '{}' } }),
        END,
      ),
    );
    const { state: data } = await say();
    const reply = { ...transcript[2], state: { streamType: 'openai_compat', data } } as ModelMessage;
    const messages = transcript.map((message, at) => (at === 2 ? reply : message));
    server.answer(ok);
    await say({ messages });
    expect(lastBody()['messages']).toMatchObject([
      {},
      {},
      { reasoning_content: 'I see', tool_calls: [{ extra_content: extra }] },
      {},
    ]);
    await say({ messages, model: 'other' });
    expect(JSON.stringify(lastBody())).not.toMatch(/reasoning_content|extra_content/);
  });

  test('has no temperature for a model that is known to refuse it', async () => {
    server.answer(ok);
    await say({ model: 'gpt-6-luna', providerType: 'openai' });
    expect(lastBody()).not.toHaveProperty('temperature');
    expect(lastBody()).toMatchObject({ max_completion_tokens: 100 });
  });

  test('is repeated without the temperature, and without it from then on, when the server refuses it', async () => {
    const refusal = json(400, { error: { message: "Unsupported value: 'temperature' does not support 0.5" } });
    server.answer(refusal, ok);
    const adapter = httpAdapter(openaiCompat, server.requestStream, LIMITS);
    const request: ModelRequest = buildRequest(server.url);
    expect(await ask(adapter, request)).toMatchObject({ text: 'x' });
    expect(await ask(adapter, request)).toMatchObject({ text: 'x' });
    expect(server.requests.map(({ body }) => 'temperature' in body)).toEqual([true, false, false]);
    server.answer(refusal);
    expect(await say({ model: 'acme-2' })).toMatchObject({ kind: 'rejected' });
    expect(server.requests).toHaveLength(2);
  });

  test('is repeated with the newer name of the limit, when the server asks for it', async () => {
    server.answer(json(400, { error: { message: "Use 'max_completion_tokens' instead." } }), ok);
    expect(await say()).toMatchObject({ text: 'x' });
    expect(lastBody()).toMatchObject({ max_completion_tokens: 100 });
  });

  test('keeps the query of the address, and is not sent with a key that is none', async () => {
    server.answer(ok);
    await ask(httpAdapter(openaiCompat, server.requestStream, LIMITS), buildRequest(`${server.url}/v1/?api-version=2`));
    expect(server.requests[0]?.path).toBe('/v1/chat/completions?api-version=2');
    const account = { ...buildRequest(server.url).account, apiKey: 'sk-ключ' };
    expect(await say({ account })).toMatchObject({ kind: 'credentials' });
  });
});

describe('a failure', () => {
  test.each([
    [429, {}, 'busy'],
    [402, {}, 'busy'],
    [529, {}, 'busy'],
    [503, { message: 'The server is overloaded' }, 'busy'],
    [400, { message: 'x', code: 'insufficient_quota' }, 'busy'],
    [503, { message: 'down' }, 'outage'],
    [500, {}, 'outage'],
    [502, {}, 'outage'],
    [401, {}, 'credentials'],
    [403, {}, 'credentials'],
    [403, { message: 'No access', code: 'model_not_found' }, 'rejected'],
    [404, {}, 'rejected'],
    [400, { message: 'bad' }, 'rejected'],
    [413, {}, 'rejected'],
    [400, { message: 'registry.ollama.ai/library/x does not support tools' }, 'no_tools'],
    [
      400,
      { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' },
      'no_tools',
    ],
    [404, { message: 'No endpoints found that support tool use.' }, 'no_tools'],
    [500, { message: 'tools param requires --jinja flag' }, 'no_tools'],
    [400, { message: '`tool calling` is not supported with this model' }, 'no_tools'],
    [400, { message: "Invalid schema for tool 'x': oneOf is not supported" }, 'rejected'],
  ])('with the status %d (%j) is of the kind %s', async (status, error, kind) => {
    server.answer(json(status, { error }));
    expect(await say()).toMatchObject({ kind, end: undefined });
  });

  test('is no lack of tools when none were offered', async () => {
    server.answer(json(400, { error: { message: 'this model does not support tools' } }));
    expect(await say({ tools: [] })).toMatchObject({ kind: 'rejected' });
  });

  test.each([
    [{ code: 429, message: 'slow' }, 'busy'],
    [{ type: 'overloaded_error', message: 'x' }, 'busy'],
    [{ code: 'insufficient_quota', message: 'x' }, 'busy'],
    [{ code: 'invalid_api_key', message: 'x' }, 'credentials'],
    [{ type: 'server_error', message: 'x' }, 'outage'],
    [{ message: 'x' }, 'outage'],
    [{ code: 'context_length_exceeded', message: 'x' }, 'rejected'],
  ])('inside a stream (%j) is of the kind %s', async (error, kind) => {
    server.answer(stream(chunk({ content: 'half' }), `data: ${JSON.stringify({ error })}\n\n`));
    expect(await say()).toMatchObject({ text: 'half', kind });
    server.answer(stream(`event: error\ndata: ${JSON.stringify(error)}\n\n`));
    expect(await say()).toMatchObject({ kind });
    server.answer(stream(chunk({ content: 'half' }), JSON.stringify({ error }, null, 2)));
    expect(await say()).toMatchObject({ kind });
  });

  test('that leads elsewhere is an outage, to a private address a refusal', async () => {
    server.answer((response) => response.writeHead(307, { location: 'http://127.0.0.1/' }).end());
    expect(await say()).toMatchObject({ kind: 'outage' });
    server.answer((response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<html>'));
    expect(await say()).toMatchObject({ kind: 'outage' });
    expect(
      await ask(httpAdapter(openaiCompat, server.requestStream, LIMITS), buildRequest('http://10.0.0.1')),
    ).toMatchObject({
      kind: 'rejected',
    });
  });

  test('of time is a timeout', async () => {
    server.answer((response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders());
    const said = await ask(
      httpAdapter(openaiCompat, server.requestStream, { ...LIMITS, firstByteMs: 100 }),
      buildRequest(server.url),
    );
    expect(said).toMatchObject({ kind: 'timeout' });
  });

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'in 5 minutes' }, undefined],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, undefined],
    [{ 'retry-after': 'Fri, 21 Oct 2095 07:28:00 GMT' }, 86_400_000],
  ])('that says %j asks for a pause of %p ms', async (headers, expected) => {
    server.answer(json(429, { error: { message: 'slow' } }, headers));
    expect(await say()).toMatchObject({ kind: 'busy', retryAfterMs: expected });
  });
});
