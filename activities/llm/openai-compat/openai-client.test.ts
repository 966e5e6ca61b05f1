import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  buildRequest,
  json,
  KEY,
  LIMITS,
  startWireServer,
  stream,
  type WireReply,
  type WireServer,
} from '../../../test/support/wire-servers/index.ts';
import { createAdapters } from '../adapters.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { createTryModel, type TryModel } from '../try-model.ts';
import { createOpenAiClient } from './openai-client.ts';

const COMPLETION = { choices: [{ index: 0, message: { role: 'assistant', content: 'ready' }, finish_reason: 'stop' }] };

let server: WireServer;
let tryModel: TryModel;
beforeAll(async () => {
  server = await startWireServer();
  const { fetch, requestStream, signIns } = server;
  tryModel = createTryModel(fetch, createAdapters(requestStream, LIMITS, { signIns }), signIns);
});
afterAll(() => server.close());
const never = new AbortController().signal;

async function attempt(...replies: WireReply[]): Promise<string> {
  server.answer(...replies);
  const { account, model } = buildRequest(server.url);
  try {
    await tryModel({ account, model, streamType: 'openai_compat' }, never);
    return 'it answers';
  } catch (error) {
    if (error instanceof ProviderFailure) return error.message;
    throw error;
  }
}

describe('the client of the OpenAI library', () => {
  test('sends the headers of the account, and none that identify this machine', async () => {
    expect(await attempt(json(200, COMPLETION))).toBe('it answers');
    const [request] = server.requests;
    expect(request?.path).toBe('/chat/completions');
    expect(request?.headers).toEqual({
      host: expect.any(String),
      connection: 'keep-alive',
      'content-length': expect.any(String),
      accept: 'application/json',
      'accept-encoding': expect.any(String),
      'accept-language': '*',
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'sec-fetch-mode': 'cors',
      'user-agent': 'everturn',
    });
    expect(request?.body).toEqual({
      model: 'acme-1',
      messages: [{ role: 'user', content: 'Answer with the single word: ready' }],
      temperature: 0,
      max_tokens: 16,
    });
  });

  test('sends no key for an account that has none', async () => {
    server.answer(json(200, { data: [] }));
    const { account } = buildRequest(`${server.url}/deployments?api-version=1`);
    const client = await createOpenAiClient(server.fetch, { ...account, apiKey: undefined });
    await client.models.list();
    const [request] = server.requests;
    expect(request?.path).toBe('/deployments/models?api-version=1');
    expect(request?.headers.authorization).toBeUndefined();
  });

  test.each([429, 500, 503])('asks once when the answer is %d', async (status) => {
    expect(await attempt(json(status, { error: { message: 'no' } }, { 'x-should-retry': 'true' }))).toContain('Acme');
    expect(server.requests).toHaveLength(1);
  });

  test('sends forms as forms', async () => {
    const got: { type?: string; text?: string } = {};
    const { account } = buildRequest(server.url);
    const client = await createOpenAiClient(async (_url, init) => {
      const sent = new Request('http://localhost', init);
      got.type = sent.headers.get('content-type') ?? '';
      got.text = await sent.text();
      return Response.json({ text: 'hello' });
    }, account);
    const file = new File(['RIFF'], 'speech.wav', { type: 'audio/wav' });
    expect(await client.audio.transcriptions.create({ file, model: 'whisper-1' })).toMatchObject({ text: 'hello' });
    expect(got.type).toMatch(/^multipart\/form-data; boundary=./);
    expect(got.text).toContain('RIFF');
  });
});

describe('an account that is tried', () => {
  test.each<[string, WireReply, string]>([
    [
      'refuses the key',
      json(401, { error: { message: 'bad key' } }),
      'Acme rejected the credentials (HTTP 401: bad key)',
    ],
    [
      'reports an error in its answer',
      json(200, { error: { message: 'broken' } }),
      'Acme reported an error in its reply: broken',
    ],
    ['answers with other JSON', json(200, { hello: 1 }), 'Acme responded with JSON that is no chat completion'],
    [
      'answers with too much',
      json(200, { choices: 'x'.repeat(5_000_000) }),
      'Acme sent far more than a reply can contain',
    ],
    [
      'redirects',
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'Acme responded with a redirect (HTTP 302)',
    ],
    [
      'is a web page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'Acme answered with a web page where a JSON document was expected',
    ],
    ['hangs up', (response) => response.destroy(), 'Acme could not be reached: it closed the connection'],
  ])('%s: says so', async (_what, reply, words) => {
    expect(await attempt(reply)).toContain(words);
  });

  test('and does not have the model says which it has', async () => {
    const models = Array.from({ length: 12 }, (_, at) => ({ id: `model-${at}` }));
    const said = await attempt(
      json(404, { error: { message: 'no such model' } }),
      json(200, { data: [...models, { id: 7 }, null, { id: 'x'.repeat(1_000) }] }),
    );
    expect(said).toContain('does not have the model "acme-1"');
    expect(said).toContain('It lists model-0, model-1,');
    expect(said).toMatch(/model-9 and 2 more$/);
    expect(server.requests.map(({ path }) => path)).toEqual(['/chat/completions', '/models']);
  });

  test('and refuses a parameter is asked without it', async () => {
    const refusal = json(400, { error: { message: 'Use max_completion_tokens instead' } });
    expect(await attempt(refusal, json(200, COMPLETION))).toBe('it answers');
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 16 });
  });

  test('and streams whatever it is asked for works as it does for turns', async () => {
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: 'ready' }, finish_reason: 'stop' }] });
    expect(await attempt(stream(`data: ${chunk}\n\ndata: [DONE]\n\n`))).toBe('it answers');
    expect(server.requests.map(({ body }) => body['stream'])).toEqual([undefined, true]);
  });

  test('ends soon when it is aborted', async () => {
    const stop = new AbortController();
    server.answer(() => stop.abort(new Error('told to')));
    const { account, model } = buildRequest(server.url);
    const tried = tryModel({ account, model, streamType: 'openai_compat' }, stop.signal);
    await expect(tried).rejects.toThrow();
    expect(stop.signal.aborted).toBe(true);
  });
});
