import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ask,
  buildRequest,
  json,
  LIMITS,
  startWireServer,
  stream,
  TIME_TOOL,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { openaiCompat } from './openai-compat/openai-compat.ts';
import { httpAdapter } from './transport/http-adapter.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());

const OK = stream(
  'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
);
const adapter = () => httpAdapter(openaiCompat, server.requestStream, LIMITS);

describe('what a server rejects', () => {
  // The words of OpenAI, vLLM, Mistral, Databricks.
  test.each([
    [400, { error: { message: "Unknown parameter: 'stream_options'.", param: 'stream_options' } }, 'stream_options'],
    [
      400,
      { object: 'error', message: "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]", code: 400 },
      'stream_options',
    ],
    [
      422,
      { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options', 'include_usage'] }] },
      'stream_options',
    ],
    [400, { error_code: 'BAD_REQUEST', message: 'stream_options is not a valid request field' }, 'stream_options'],
    [400, { error: { message: "Unsupported value: 'temperature' does not support 0.5" } }, 'temperature'],
    [400, { error: { message: "Use 'max_completion_tokens' instead." } }, 'max_tokens'],
  ])('with %d %j is left out, and in later requests from the start', async (status, body, field) => {
    const calls = adapter();
    server.answer(json(status, body), OK);
    const request = buildRequest(server.url);
    expect(await ask(calls, request)).toMatchObject({ text: 'hi', failure: undefined });
    await ask(calls, request);
    expect(server.requests.map((sent) => field in sent.body)).toEqual([true, false, false]);
  });

  test('one part after the other is left out one after the other', async () => {
    server.answer(
      json(400, { error: { message: 'stream_options: unknown field' } }),
      json(400, { error: { message: 'temperature: unknown field' } }),
      OK,
    );
    expect(await ask(adapter(), buildRequest(server.url))).toMatchObject({ text: 'hi' });
    expect(server.requests).toHaveLength(3);
  });

  test('again and again is not sent again and again', async () => {
    server.answer(json(400, { error: { message: 'stream_options: unknown field' } }));
    expect(await ask(adapter(), buildRequest(server.url))).toMatchObject({ kind: 'rejected' });
    expect(server.requests).toHaveLength(2);
  });

  // The words of Perplexity, Upstage, Ollama and vLLM.
  test.each([
    'Tool calling is not supported for this model',
    'This model does not support tools',
    'registry.ollama.ai/library/gemma:2b does not support tools',
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  ])('when it is tools (%s) is told as such, so that they go into the text', async (message) => {
    server.answer(json(400, { error: { message } }));
    expect(await ask(adapter(), buildRequest(server.url, { tools: [TIME_TOOL] }))).toMatchObject({ kind: 'no_tools' });
  });
});

test('no request says how many tools may be called at once, which several servers reject', async () => {
  server.answer(OK);
  await ask(adapter(), buildRequest(server.url, { tools: [TIME_TOOL] }));
  expect(Object.keys(server.requests[0]?.body ?? {}).toSorted()).toEqual(
    ['max_tokens', 'messages', 'model', 'stream', 'stream_options', 'temperature', 'tools'].toSorted(),
  );
});

test('a quota that is used up for long is reported with the time that it takes', async () => {
  server.answer(json(429, { error: { message: 'Rate limit of 50 per 86400s exceeded' } }, { 'retry-after': '40000' }));
  expect(await ask(adapter(), buildRequest(server.url))).toMatchObject({ kind: 'busy', retryAfterMs: 40_000_000 });
});

test.each([
  [500, { type: 'error', error: { type: 'api_error', message: 'insufficient balance (1008)' } }],
  [429, { error: { http_code: '429', message: 'insufficient balance (1008)', type: 'insufficient_balance_error' } }],
])('want of credit that MiniMax tells with %d is understood', async (status, body) => {
  server.answer(json(status, body));
  const said = await ask(adapter(), buildRequest(server.url));
  expect(said).toMatchObject({ kind: 'busy', failure: expect.stringContaining('has no credit left') });
});

describe('an error that MiniMax reports in a success', () => {
  const said = (code: number) => ({ id: '0', choices: null, base_resp: { status_code: code, status_msg: 'no' } });

  test.each([
    [1002, 'busy'],
    [1004, 'credentials'],
    [1008, 'busy'],
    [1026, 'rejected'],
    [1033, 'outage'],
    [1039, 'rejected'],
    [2013, 'rejected'],
  ])('with the code %d is %s', async (code, kind) => {
    server.answer(json(200, said(code)));
    expect(await ask(adapter(), buildRequest(server.url))).toMatchObject({
      kind,
      text: '',
      failure: expect.stringContaining(`no (${code})`),
    });
    server.answer(stream(`data: ${JSON.stringify(said(code))}\n\n`));
    expect(await ask(adapter(), buildRequest(server.url))).toMatchObject({ kind, text: '' });
  });

  test('is none with the code 0', async () => {
    const chunk = {
      choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }],
      base_resp: { status_code: 0, status_msg: '' },
    };
    server.answer(stream(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
    expect(await ask(adapter(), buildRequest(server.url))).toMatchObject({ text: 'hi', failure: undefined });
  });
});
