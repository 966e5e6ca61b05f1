import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { TOOL_DESCRIBE } from '../../domain/tool-offer/split-offer.ts';
import type { ModelMessage } from '../../domain/transcripts/model-message.ts';
import {
  ask,
  brokenStream,
  buildRequest,
  json,
  KEY,
  LIMITS,
  messagesIssue,
  startWireServer,
  stream,
  streamCutAt,
  TIME_TOOL,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { anthropic } from './anthropic.ts';
import { httpAdapter } from './transport/http-adapter.ts';

let server: WireServer;

beforeAll(async () => {
  server = await startWireServer();
});

beforeEach(() => server.reject(messagesIssue));
afterAll(() => server.close());

const say = (change: Parameters<typeof buildRequest>[1] = {}) =>
  ask(
    httpAdapter(anthropic, server.requestStream, LIMITS),
    buildRequest(server.url, { providerType: 'anthropic', ...change }),
  );
const lastBody = () => server.requests.at(-1)?.body ?? {};

const event = (type: string, fields: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const start = event('message_start', {
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 1 },
  },
});
const open = (index: number, block: object) => event('content_block_start', { index, content_block: block });
const delta = (index: number, fields: object) => event('content_block_delta', { index, delta: fields });
const text = (index: number, said: string) => delta(index, { type: 'text_delta', text: said });
const input = (index: number, partialJson: string) =>
  delta(index, { type: 'input_json_delta', partial_json: partialJson });
const shut = (index: number) => event('content_block_stop', { index });
const stop = (reason: string) =>
  event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 42 } }) +
  event('message_stop');
const TEXT = { type: 'text', text: '' };
const tool = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });

describe('an answer', () => {
  const simple =
    start +
    open(0, TEXT) +
    event('ping') +
    text(0, 'Grüße, 世') +
    text(0, '') +
    text(0, '界 🌍') +
    shut(0) +
    stop('end_turn');

  test.each([
    ['plain', simple],
    ['with CRLF', simple.replaceAll('\n', '\r\n')],
    ['with comments', `: keep-alive\n\n${simple.replaceAll('\n\n', '\n\n: ping\n\n')}`],
  ])('is read the same when the stream (%s) is cut at any byte', async (_how, bytes) => {
    const whole = Buffer.from(bytes);
    for (let cut = 1; cut < whole.length; cut += 7) {
      server.answer(streamCutAt(whole, cut));
      expect(await say()).toMatchObject({
        text: 'Grüße, 世界 🌍',
        isWhole: true,
        end: 'done',
        usage: { inputTokens: 325, outputTokens: 42, estimated: false },
      });
    }
  });

  test.each([
    ['end_turn', 'done'],
    ['tool_use', 'done'],
    ['stop_sequence', 'done'],
    ['pause_turn', 'other'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
  ])('that stops with %s ends as %s', async (reason, expected) => {
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), shut(0), stop(reason)));
    expect(await say()).toMatchObject({ text: 'x', end: expected });
  });

  test('takes the numbers of the end, where the server gives all of them there', async () => {
    const last = event('message_delta', {
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 9 },
    });
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), last, event('message_stop')));
    expect((await say()).usage).toEqual({ inputTokens: 10, cachedInputTokens: 3, outputTokens: 9, estimated: false });
  });

  test.each([
    ['zeros', { input_tokens: 0, output_tokens: 0 }, 1],
    ['a zero', { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 }, 9],
  ])('keeps the numbers of the beginning where the end has %s', async (_what, numbers, outputTokens) => {
    const last = event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: numbers });
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), last, event('message_stop')));
    expect((await say()).usage).toMatchObject({ inputTokens: 325, outputTokens });
  });

  test('keeps what was read from the cache where the end does not say it', async () => {
    const last = event('message_delta', {
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 5, output_tokens: 9 },
    });
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), last, event('message_stop')));
    expect((await say()).usage).toMatchObject({ inputTokens: 325, cachedInputTokens: 300, outputTokens: 9 });
  });

  test.each([
    ['without a beginning', [text(0, 'Good '), text(0, 'morning')]],
    ['under another index than its beginning', [open(0, TEXT), text(1, 'Good '), text(1, 'morning')]],
    ['under the index of a call', [open(0, tool('t', 'time_now')), input(0, '{}'), text(0, 'Good morning')]],
  ])('has a text that comes %s', async (_how, events) => {
    server.answer(stream(start, ...events, stop('end_turn')));
    expect(await say()).toMatchObject({ text: 'Good morning', end: 'done', failure: undefined });
  });

  test.each([
    ['`message_stop`', event('message_stop')],
    ['`[DONE]`', 'data: [DONE]\n\n'],
  ])('is whole when it says by %s that it ends, and not why', async (_how, mark) => {
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), shut(0), mark));
    expect(await say()).toMatchObject({ text: 'x', end: 'done', failure: undefined });
  });

  test('is none when it says that it ends before anything has come', async () => {
    server.answer(stream(start, event('message_stop')));
    expect((await say()).failure).toBe('Acme closed the connection before its reply was complete');
  });

  test('is a failure when it says only that it ends, in the middle of a call', async () => {
    const call = [start, open(0, tool('t', 'time_now')), input(0, '{"zone":')];
    server.answer(stream(...call, event('message_stop')));
    expect(await say()).toMatchObject({ calls: [], end: undefined, kind: 'outage' });
    server.answer(stream(...call, input(0, '"UTC"}'), event('message_stop')));
    expect(await say()).toMatchObject({ calls: [{ argumentsText: '{"zone":"UTC"}' }], end: 'done' });
  });

  test('is read from a whole JSON document', async () => {
    server.answer(
      json(200, {
        type: 'message',
        content: [
          { type: 'text', text: 'whole' },
          { ...tool('t', 'time_now'), input: { zone: 'UTC' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 1, output_tokens: 2 },
      }),
    );
    expect(await say()).toMatchObject({
      text: 'whole',
      calls: [{ name: 'time_now', argumentsText: '{"zone":"UTC"}' }],
      end: 'done',
    });
  });

  test('has the arguments that are written as a text, which may be empty before chunks of it come', async () => {
    const block = { ...tool('t', 'time_now'), input: '{"zone":"UTC"}' };
    server.answer(json(200, { type: 'message', content: [block], stop_reason: 'tool_use' }));
    expect((await say()).calls).toEqual([{ name: 'time_now', argumentsText: '{"zone":"UTC"}' }]);
    const begun = open(0, { ...tool('t', 'time_now'), input: '{}' });
    server.answer(stream(start, begun, input(0, '{"zone":"UTC"}'), stop('tool_use')));
    expect((await say()).calls).toEqual([{ name: 'time_now', argumentsText: '{"zone":"UTC"}' }]);
  });

  test('survives events of unknown kinds and shapes', async () => {
    server.answer(
      stream(
        start,
        'data: null\n\n',
        event('content_block_delta'),
        event('new_thing', { index: 0 }),
        open(0, { type: 'server_tool_use' }),
        text(0, 'lost'),
        open(1, TEXT),
        text(1, 'x'),
        stop('end_turn'),
      ),
    );
    expect(await say()).toMatchObject({ text: 'x', end: 'done' });
  });

  test('is a failure when it ends without its end or in the middle', async () => {
    server.answer(stream(start, open(0, TEXT), text(0, 'half')));
    expect(await say()).toMatchObject({
      text: 'half',
      kind: 'outage',
      failure: 'Acme closed the connection before its reply was complete',
    });
    server.answer(brokenStream(start, open(0, TEXT), text(0, 'half')));
    expect(await say()).toMatchObject({
      text: 'half',
      kind: 'outage',
      failure: 'Acme closed the connection before its reply was complete',
    });
  });

  test('is whole although the server keeps the connection open', async () => {
    server.answer((response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(simple));
    expect(await say()).toMatchObject({ end: 'done' });
  });
});

describe('tool calls and thinking', () => {
  const thinking = { type: 'thinking', thinking: '', signature: '' };
  const reply = [
    start,
    open(0, thinking),
    delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
    delta(0, { type: 'thinking_delta', thinking: 'see.' }),
    delta(0, { type: 'signature_delta', signature: 'c2ln' }),
    shut(0),
    open(1, { type: 'redacted_thinking', data: 'ZGF0YQ==' }),
    shut(1),
    open(2, TEXT),
    text(2, 'Two '),
    text(2, 'clocks.'),
    shut(2),
    open(3, tool('toolu_1', 'time_now')),
    open(4, tool('toolu_2', 'time_now')),
    input(3, ''),
    input(4, '{"zone":'),
    input(3, '{"zo'),
    input(4, '"UTC"}'),
    input(3, 'ne":"Asia/Tokyo"}'),
    shut(3),
    shut(4),
    open(5, tool('toolu_3', 'file_list')),
    shut(5),
    stop('tool_use'),
  ];
  const transcript = (data: unknown, results = 3): ModelMessage[] => [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'times?' },
    {
      role: 'assistant',
      content: 'Two clocks.',
      toolCalls: ['a.1', 'b', 'c'].slice(0, results).map((id) => ({ id, name: 'time now', arguments: {} })),
      state: { streamType: 'anthropic', data },
    },
    ...['a.1', 'b', 'c']
      .slice(0, results)
      .map((callId) => ({ role: 'tool' as const, callId, name: 'time now', content: 'noon', isError: callId === 'b' })),
    { role: 'user', content: 'and?' },
  ];

  test('are read when they come interleaved, with the thinking to be kept', async () => {
    server.answer(stream(...reply));
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
      text: 'Two clocks.',
      calls: [
        { name: 'time_now', argumentsText: '{"zone":"Asia/Tokyo"}' },
        { name: 'time_now', argumentsText: '{"zone":"UTC"}' },
        { name: 'file_list', argumentsText: '' },
      ],
      end: 'done',
    });
  });

  test('are all read when they have one index, and once when their beginnings are repeated', async () => {
    const [one, two] = [tool('toolu_1', 'time_now'), tool('toolu_2', 'file_list')];
    server.answer(
      stream(
        start,
        open(0, one),
        input(0, '{"zone":'),
        open(0, one),
        input(0, '"UTC"}'),
        shut(0),
        open(0, two),
        input(0, '{}'),
        shut(0),
        stop('tool_use'),
      ),
    );
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
      calls: [
        { name: 'time_now', argumentsText: '{"zone":"UTC"}' },
        { name: 'file_list', argumentsText: '{}' },
      ],
    });
  });

  test('are all read when they have one index and one id', async () => {
    const call = tool('toolu_1', 'time_now');
    server.answer(
      stream(
        start,
        open(0, call),
        input(0, '{"zone":"UTC"}'),
        shut(0),
        open(0, call),
        input(0, '{"zone":"CET"}'),
        stop('tool_use'),
      ),
    );
    const { calls } = await say({ tools: [TIME_TOOL] });
    expect(calls.map(({ argumentsText }) => argumentsText)).toEqual(['{"zone":"UTC"}', '{"zone":"CET"}']);
  });

  test('lose nothing when a text has their index before they are whole', async () => {
    server.answer(
      stream(
        start,
        open(0, thinking),
        delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
        text(0, 'One '),
        text(0, 'clock.'),
        delta(0, { type: 'signature_delta', signature: 'c2ln' }),
        open(1, tool('toolu_1', 'time_now')),
        text(1, ' Now:'),
        input(1, '{"zone":"UTC"}'),
        stop('tool_use'),
      ),
    );
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
      text: 'One clock. Now:',
      calls: [{ name: 'time_now', argumentsText: '{"zone":"UTC"}' }],
      state: {
        pieces: [
          { type: 'block', block: { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' } },
          { type: 'text', characters: 10 },
          { type: 'call' },
          { type: 'text', characters: 5 },
        ],
      },
    });
  });

  test('are read when their arguments have another index than they, and those of other blocks are not', async () => {
    server.answer(
      stream(
        start,
        open(0, tool('toolu_1', 'time_now')),
        input(1, '{"zone":'),
        input(1, '"UTC"}'),
        open(2, { type: 'server_tool_use' }),
        input(2, '{"query":"x"}'),
        stop('tool_use'),
      ),
    );
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
      calls: [{ name: 'time_now', argumentsText: '{"zone":"UTC"}' }],
    });
  });

  test.each([
    ['under the index of a text', {}, 0],
    ['with their head and in chunks too', { zone: 'UTC' }, 1],
  ])('are read when their arguments come %s', async (_how, given, index) => {
    const called = open(1, { ...tool('toolu_1', 'time_now'), input: given });
    const chunks = [input(index, '{"zone":'), input(index, '"UTC"}')];
    server.answer(stream(start, open(0, TEXT), text(0, 'Hm.'), called, ...chunks, stop('tool_use')));
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({
      text: 'Hm.',
      calls: [{ name: 'time_now', argumentsText: '{"zone":"UTC"}' }],
    });
  });

  test('go back as a legal request, in the order the model gave them', async () => {
    server.answer(stream(...reply));
    const { state } = await say({ tools: [TIME_TOOL] });
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), stop('end_turn')));
    expect(await say({ tools: [TIME_TOOL], messages: transcript(state) })).toMatchObject({
      failure: undefined,
      text: 'x',
    });
    const cache = { cache_control: { type: 'ephemeral' } };
    expect(lastBody()).toMatchObject({
      system: [{ type: 'text', text: 'Be kind.', ...cache }],
      tools: [{ name: 'time_now', description: 'Tells the time.', input_schema: TIME_TOOL.parameters }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'times?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'ZGF0YQ==' },
            { type: 'text', text: 'Two clocks.' },
            { type: 'tool_use', id: 'a_1', name: 'time_now', input: {} },
            { type: 'tool_use', id: 'b', name: 'time_now', input: {} },
            { type: 'tool_use', id: 'c', name: 'time_now', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a_1', content: 'noon' },
            { type: 'tool_result', tool_use_id: 'b', content: 'noon', is_error: true },
            { type: 'tool_result', tool_use_id: 'c', content: 'noon' },
            { type: 'text', text: 'and?', ...cache },
          ],
        },
      ],
    });
  });

  test('tools that every step has are cached apart from those that the conversation adds', async () => {
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), stop('end_turn')));
    const added = { name: 'added', description: 'Adds.', parameters: { type: 'object' } };
    const messages: ModelMessage[] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'hi' },
    ];
    const said = await say({ tools: [TIME_TOOL, TOOL_DESCRIBE, added], messages });
    expect(said).toMatchObject({ failure: undefined, text: 'x' });
    const { tools } = lastBody() as { tools: readonly object[] };
    expect(tools.map((tool) => 'cache_control' in tool)).toEqual([false, true, false]);
  });

  test('go back without the thinking when it is of another model, of another format, or makes no sense', async () => {
    server.answer(stream(...reply));
    const { state } = await say();
    server.answer(stream(start, open(0, TEXT), text(0, 'x'), stop('end_turn')));
    expect(await say({ model: 'acme-2', messages: transcript(state) })).toMatchObject({ text: 'x' });
    expect(JSON.stringify(lastBody())).not.toContain('thinking');
    for (const broken of [null, 'x', { model: 'acme-1', pieces: 7 }, { model: 'acme-1', pieces: [{ type: 'call' }] }]) {
      expect(await say({ messages: transcript(broken, 2) })).toMatchObject({ failure: undefined, text: 'x' });
    }
  });

  test('go back without the thinking when the provider refuses its signature', async () => {
    server.answer(stream(...reply));
    const { state } = await say();
    server.answer(
      json(400, {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
        },
      }),
      stream(start, open(0, TEXT), text(0, 'x'), stop('end_turn')),
    );
    expect(await say({ messages: transcript(state) })).toMatchObject({ text: 'x' });
    expect(JSON.stringify(lastBody())).not.toContain('c2ln');
  });

  test('are left out when the token limit cut them', async () => {
    server.answer(stream(start, open(0, tool('a', 'time_now')), input(0, '{"zo'), shut(0), stop('max_tokens')));
    expect(await say()).toMatchObject({ calls: [], end: 'length' });
  });
});

describe('a request', () => {
  const ok = stream(start, open(0, TEXT), text(0, 'x'), stop('end_turn'));

  test.each(['', '/', '/v1', '/v1/'])('goes to the messages of the address with "%s" at its end', async (end) => {
    server.answer(ok);
    const request = buildRequest(server.url + end, {
      providerType: 'anthropic',
      model: 'claude-haiku-4-5',
      temperature: 1.5,
    });
    await ask(httpAdapter(anthropic, server.requestStream, LIMITS), request);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': KEY },
      body: { temperature: 1, max_tokens: 100, stream: true },
    });
    expect(lastBody()).not.toHaveProperty('tools');
    expect(lastBody()).not.toHaveProperty('system');
  });

  test('has no temperature for a model that is known to refuse it', async () => {
    server.answer(ok);
    await say({ model: 'claude-opus-5-5' });
    expect(lastBody()).not.toHaveProperty('temperature');
  });

  test('is legal when turns are missing or empty', async () => {
    server.answer(ok);
    const messages: ModelMessage[] = [
      { role: 'user', content: 'a' },
      { role: 'user', content: '  ' },
      { role: 'assistant', content: ' ' },
      { role: 'user', content: 'b' },
    ];
    expect(await say({ messages })).toMatchObject({ failure: undefined });
    expect(lastBody()['messages']).toHaveLength(1);
  });
});

describe('a failure', () => {
  const body = (type: string, message = 'Some words') => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_1',
  });

  test.each([
    [400, 'invalid_request_error', 'rejected'],
    [401, 'authentication_error', 'credentials'],
    [402, 'billing_error', 'busy'],
    [403, 'permission_error', 'credentials'],
    [404, 'not_found_error', 'rejected'],
    [413, 'request_too_large', 'rejected'],
    [429, 'rate_limit_error', 'busy'],
    [500, 'api_error', 'outage'],
    [504, 'timeout_error', 'outage'],
    [529, 'overloaded_error', 'busy'],
  ])('%d %s is of the kind %s, also inside a stream', async (status, type, kind) => {
    server.answer(json(status, body(type), { 'retry-after': '3' }));
    const said = await say();
    expect(said).toMatchObject({ kind, retryAfterMs: 3_000 });
    expect(said.failure).toContain(`(HTTP ${status}: Some words)`);
    server.answer(
      stream(start, open(0, TEXT), text(0, 'half'), `event: error\ndata: ${JSON.stringify(body(type))}\n\n`),
    );
    expect(await say()).toMatchObject({ text: 'half', kind });
  });

  test('for want of credit lets the account rest, for length refuses', async () => {
    server.answer(
      json(400, body('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.')),
    );
    expect(await say()).toMatchObject({ kind: 'busy' });
    server.answer(json(400, body('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')));
    const said = await say();
    expect(said.kind).toBe('rejected');
    expect(said.failure).toContain('cannot accept the conversation');
  });

  test('for a token limit that is too high is not taken for a conversation that is too long', async () => {
    const said = 'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude';
    server.answer(json(400, body('invalid_request_error', said)));
    expect((await say()).failure).toBe(`Acme rejected the request (HTTP 400: ${said})`);
  });

  test('contains no key', async () => {
    server.answer(json(401, body('authentication_error', `invalid x-api-key ${KEY}`)));
    expect((await say()).failure).not.toContain(KEY);
  });
});
