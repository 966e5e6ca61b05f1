import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ModelMessage } from '../../domain/transcripts/model-message.ts';
import {
  ask,
  brokenStream,
  buildRequest,
  contentsIssue,
  json,
  KEY,
  LIMITS,
  startWireServer,
  stream,
  streamCutAt,
  TIME_TOOL,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { gemini } from './gemini.ts';
import { httpAdapter } from './transport/http-adapter.ts';

let server: WireServer;

beforeAll(async () => {
  server = await startWireServer();
});

beforeEach(() => server.reject(contentsIssue));
afterAll(() => server.close());

const MODEL = 'gemini-3.8-flash';
const say = (change: Parameters<typeof buildRequest>[1] = {}) =>
  ask(
    httpAdapter(gemini, server.requestStream, LIMITS),
    buildRequest(`${server.url}/v1beta`, { providerType: 'google', model: MODEL, ...change }),
  );
const lastBody = () => server.requests.at(-1)?.body ?? {};

const chunk = (parts: unknown[], fields: object = {}, rest: object = {}) =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...fields }], modelVersion: MODEL, ...rest })}\r\n\r\n`;
const usageMetadata = {
  promptTokenCount: 10,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 7,
  cachedContentTokenCount: 4,
  totalTokenCount: 22,
};
const end = (parts: unknown[] = [], finishReason = 'STOP') => chunk(parts, { finishReason }, { usageMetadata });

describe('an answer', () => {
  const simple =
    chunk([{ text: 'Grüße, 世' }], {}, { usageMetadata: { promptTokenCount: 10 } }) +
    chunk([]) +
    end([{ text: '界 🌍' }]);

  test.each([
    ['with CRLF', simple],
    ['with LF', simple.replaceAll('\r\n', '\n')],
    ['with comments', `: hi\r\n\r\n${simple}`],
  ])('is read the same when the stream (%s) is cut at any byte', async (_how, bytes) => {
    const whole = Buffer.from(bytes);
    for (let cut = 1; cut < whole.length; cut += 5) {
      server.answer(streamCutAt(whole, cut));
      expect(await say()).toMatchObject({
        text: 'Grüße, 世界 🌍',
        isWhole: true,
        end: 'done',
        usage: { inputTokens: 10, outputTokens: 12, estimated: false },
      });
    }
  });

  test('is whole at a mark of its end without a reason, unless nothing has come', async () => {
    server.answer(stream(chunk([{ text: 'x' }]), 'data: [DONE]\n\n'));
    expect(await say()).toMatchObject({ text: 'x', end: 'done', failure: undefined });
    server.answer(stream(chunk([]), 'data: [DONE]\n\n'));
    expect(await say()).toMatchObject({ kind: 'outage', end: undefined });
  });

  test('may have ended without text by its reason and usage, unless text follows', () => {
    const reader = gemini.createReader({ model: MODEL });
    const read = (parts: readonly object[], fields: object) =>
      reader.read({ candidates: [{ content: { parts }, ...fields }], usageMetadata });
    read([], {});
    expect(reader.isEnding).toBe(false);
    read([], { finishReason: 'STOP' });
    expect(reader.isEnding).toBe('perhaps');
    read([{ text: 'hi' }], {});
    expect(reader.isEnding).toBe(false);
  });

  test('leaves out what the model only thought', async () => {
    server.answer(stream(chunk([{ text: 'hm', thought: true }]), end([{ text: 'yes' }])));
    expect(await say()).toMatchObject({ text: 'yes', end: 'done', state: undefined });
  });

  test.each([
    ['STOP', 'done'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
  ])('that finishes with %s ends as %s', async (reason, expected) => {
    server.answer(stream(end([{ text: 'x' }], reason)));
    expect(await say()).toMatchObject({ text: 'x', end: expected });
  });

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE', 'OTHER'])(
    'that finishes with %s is a failure',
    async (reason) => {
      server.answer(stream(chunk([{ text: 'x' }]), end([], reason)));
      const said = await say();
      expect(said).toMatchObject({ text: 'x', end: undefined, kind: 'outage' });
      expect(said.failure).toMatch(
        /^Acme broke off its reply because (its tool call is malformed|of an internal error)/,
      );
    },
  );

  test('is withheld when the prompt is blocked', async () => {
    server.answer(
      stream(`data: ${JSON.stringify({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata })}\n\n`),
    );
    expect(await say()).toMatchObject({ text: '', end: 'content_filter', failure: undefined });
  });

  test('is read from a whole JSON document', async () => {
    const whole = { candidates: [{ content: { parts: [{ text: 'whole' }] }, finishReason: 'STOP' }], usageMetadata };
    server.answer(json(200, [whole]), json(200, whole), json(200, { hi: 1 }));
    expect(await say()).toMatchObject({ text: 'whole', end: 'done' });
    expect(await say()).toMatchObject({ text: 'whole', end: 'done' });
    expect(await say()).toMatchObject({ kind: 'outage' });
  });

  test('is a failure when it ends without a reason or in the middle', async () => {
    const failure = {
      text: 'half',
      kind: 'outage',
      failure: 'Acme closed the connection before its reply was complete',
    };
    server.answer(stream(chunk([{ text: 'half' }]), 'data: null\n\n'));
    expect(await say()).toMatchObject(failure);
    server.answer(brokenStream(chunk([{ text: 'half' }])));
    expect(await say()).toMatchObject(failure);
  });
});

describe('function calls', () => {
  const reply = [
    chunk([{ text: 'thinking', thought: true }]),
    chunk([{ text: 'Two ' }]),
    chunk([{ text: 'clocks.' }]),
    chunk([
      { functionCall: { name: 'time_now', args: { zone: 'UTC' }, id: 'x' }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'file_list' } },
    ]),
    end([{ text: '', thoughtSignature: 'ZW5k' }]),
  ];
  const transcript = (data: unknown): ModelMessage[] => [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'times?' },
    {
      role: 'assistant',
      content: 'Two clocks.',
      toolCalls: [
        { id: 'a', name: 'time_now', arguments: { zone: 'UTC' } },
        { id: 'b', name: '2 files', arguments: {} },
      ],
      state: { streamType: 'gemini', data },
    },
    { role: 'tool', callId: 'a', name: 'time_now', content: 'noon', isError: false },
    { role: 'tool', callId: 'b', name: '2 files', content: 'none', isError: true },
    { role: 'user', content: 'and?' },
  ];

  test('are read, with the signatures to be kept', async () => {
    server.answer(stream(...reply));
    const said = await say({ tools: [TIME_TOOL] });
    expect(said).toMatchObject({
      text: 'Two clocks.',
      calls: [
        { name: 'time_now', argumentsText: '{"zone":"UTC"}' },
        { name: 'file_list', argumentsText: '{}' },
      ],
      end: 'done',
    });
    expect(said.state).toMatchObject({ model: MODEL });
  });

  test('go back as a legal request, with the signatures where they were', async () => {
    server.answer(stream(...reply));
    const { state } = await say({ tools: [TIME_TOOL] });
    server.answer(stream(end([{ text: 'x' }])));
    expect(await say({ tools: [TIME_TOOL], messages: transcript(state) })).toMatchObject({
      failure: undefined,
      text: 'x',
    });
    expect(lastBody()).toEqual({
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      tools: [
        {
          functionDeclarations: [
            { name: 'time_now', description: 'Tells the time.', parametersJsonSchema: TIME_TOOL.parameters },
          ],
        },
      ],
      generationConfig: { temperature: 0.5, maxOutputTokens: 100 },
      contents: [
        { role: 'user', parts: [{ text: 'times?' }] },
        {
          role: 'model',
          parts: [
            { text: 'Two clocks.' },
            { functionCall: { id: 'a', name: 'time_now', args: { zone: 'UTC' } }, thoughtSignature: 'c2ln' },
            { functionCall: { id: 'b', name: '_2_files', args: {} } },
            { text: '', thoughtSignature: 'ZW5k' },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'time_now', response: { result: 'noon' } } },
            { functionResponse: { id: 'b', name: '_2_files', response: { error: 'none' } } },
          ],
        },
        { role: 'user', parts: [{ text: 'and?' }] },
      ],
    });
  });

  test('of another provider go back with the word that replaces a signature', async () => {
    server.answer(stream(end([{ text: 'x' }])));
    const foreign = { model: MODEL, pieces: [{ type: 'call', signature: 'c2ln' }] };
    const messages = transcript(foreign).map((message) =>
      message.role === 'assistant' ? { ...message, state: { streamType: 'anthropic', data: foreign } } : message,
    );
    expect(await say({ messages })).toMatchObject({ failure: undefined });
    expect(JSON.stringify(lastBody())).toContain('skip_thought_signature_validator');
    expect(JSON.stringify(lastBody())).not.toContain('c2ln');
    server.reject(() => undefined);
    await say({ messages, model: 'gemini-2.5-pro' });
    expect(JSON.stringify(lastBody())).not.toContain('skip_thought');
  });
});

describe('a request', () => {
  test.each(['', '/', '/v1beta', '/v1beta/'])(
    'goes to the model below the address with "%s" at its end',
    async (address) => {
      server.answer(stream(end([{ text: 'x' }])));
      await ask(
        httpAdapter(gemini, server.requestStream, LIMITS),
        buildRequest(server.url + address, { model: 'models/gemini/x' }),
      );
      expect(server.requests[0]).toMatchObject({
        path: '/v1beta/models/gemini%2Fx:streamGenerateContent?alt=sse',
        headers: { 'x-goog-api-key': KEY },
      });
      expect(server.requests[0]?.path).not.toContain(KEY);
    },
  );
});

describe('a failure', () => {
  const body = (code: number, status: string, details: unknown[] = [], message = 'Some words.') => ({
    error: { code, message, status, details },
  });

  test.each([
    [400, 'INVALID_ARGUMENT', 'rejected'],
    [400, 'FAILED_PRECONDITION', 'rejected'],
    [401, 'UNAUTHENTICATED', 'credentials'],
    [403, 'PERMISSION_DENIED', 'credentials'],
    [404, 'NOT_FOUND', 'rejected'],
    [429, 'RESOURCE_EXHAUSTED', 'busy'],
    [500, 'INTERNAL', 'outage'],
    [503, 'UNAVAILABLE', 'outage'],
    [504, 'DEADLINE_EXCEEDED', 'outage'],
  ])('%d %s is of the kind %s, also as a list or inside a stream', async (code, status, kind) => {
    server.answer(
      json(code, body(code, status)),
      json(code, [body(code, status)]),
      stream(chunk([{ text: 'half' }]), `data: ${JSON.stringify(body(code, status))}\n\n`),
      stream(chunk([{ text: 'half' }]), JSON.stringify([body(code, status)], null, 2)),
    );
    const said = await say();
    expect(said).toMatchObject({ kind });
    expect(said.failure).toContain(`(HTTP ${code}: Some words)`);
    expect(await say()).toMatchObject({ kind });
    expect(await say()).toMatchObject({ text: 'half', kind });
    expect(await say()).toMatchObject({ text: 'half', kind });
  });

  test('for a wrong key is reported as such, although its status is 400', async () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
    ];
    server.answer(json(400, body(400, 'INVALID_ARGUMENT', details, 'API key not valid. Please pass a valid API key.')));
    expect(await say()).toMatchObject({
      kind: 'credentials',
      failure:
        "Acme rejected the credentials (HTTP 400: API key not valid. Please pass a valid API key). Check the account's API key",
    });
  });

  test.each([
    ['34.5s', 34_500],
    ['soon', undefined],
  ])('with RetryInfo of %s asks for a pause of %p ms', async (retryDelay, expected) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];
    server.answer(json(429, body(429, 'RESOURCE_EXHAUSTED', details)));
    expect(await say()).toMatchObject({ kind: 'busy', retryAfterMs: expected });
  });

  test('is busy when the model is overloaded, and a lack of tools when it calls none', async () => {
    server.answer(
      json(503, body(503, 'UNAVAILABLE', [], 'The model is overloaded. Please try again later.')),
      json(400, body(400, 'INVALID_ARGUMENT', [], 'Function calling is not enabled for models/x')),
    );
    expect(await say()).toMatchObject({ kind: 'busy' });
    expect(await say({ tools: [TIME_TOOL] })).toMatchObject({ kind: 'no_tools' });
  });
});
