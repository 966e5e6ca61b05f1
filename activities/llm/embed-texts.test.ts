import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { json, OutsideServer, type Reply } from '../../test/support/outside-server.ts';
import { GoogleTokens } from '../core/google-tokens.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createEmbed, MAX_TEXTS } from './embed-texts.ts';
import { AccountSignIn } from './sign-in.ts';

const LIMITS = { firstByteMs: 100_000, idleMs: 100_000, totalMs: 100_000 };
const never = new AbortController().signal;
let server: OutsideServer;
let egress: ReturnType<typeof createGuardedFetch>;

beforeAll(async () => {
  server = await OutsideServer.start();
  egress = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${server.port}`));
});

beforeEach(() => {
  server.seen.length = 0;
});

afterAll(async () => {
  await egress.close();
  server.close();
});

const signIns = new AccountSignIn(
  new GoogleTokens({ http: { request: async () => Promise.reject(new Error('not asked')) } }),
);

async function embed(reply: Reply, { streamType = 'openai_compat', texts = ['a', 'b'], limits = LIMITS } = {}) {
  server.reply = reply;
  const account = { id: null, name: 'Mine', providerType: 'any', baseUrl: `${server.url}/v1`, apiKey: 'sk-secret-1' };
  const ask = createEmbed(egress.requestStream, limits, signIns);
  return ask({ account, model: 'small', streamType }, { texts, purpose: 'query' }, never);
}

const data = (...embeddings: unknown[]) => ({ data: embeddings.map((embedding, index) => ({ index, embedding })) });

test("vectors come in the order of the texts, with the tokens that the provider counts, in OpenAI's format", async () => {
  const answer = {
    data: [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  };
  expect(await embed(json(answer))).toEqual({
    vectors: [
      [1, 0],
      [0, 1],
    ],
    tokens: 7,
  });
  expect(server.seen[0]).toMatchObject({ url: '/v1/embeddings', headers: { authorization: 'Bearer sk-secret-1' } });
  expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
    model: 'small',
    input: ['a', 'b'],
    encoding_format: 'float',
  });
});

test('vectors without indexes are taken in their order, and tokens are estimated when nobody counts them', async () => {
  const { vectors, tokens } = await embed(json({ data: [{ embedding: [1] }, { embedding: [2] }] }));
  expect(vectors).toEqual([[1], [2]]);
  expect(tokens).toBeGreaterThan(0);
});

test('Gemini is asked in its own format, with the purpose of the texts', async () => {
  const answer = { embeddings: [{ values: [1, 0] }, { values: [0, 1] }] };
  const { vectors } = await embed(json(answer), { streamType: 'gemini' });
  expect(vectors).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(server.seen[0]).toMatchObject({
    url: '/v1/models/small:batchEmbedContents',
    headers: { 'x-goog-api-key': 'sk-secret-1' },
  });
  expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({
    requests: [{ model: 'models/small', content: { parts: [{ text: 'a' }] }, taskType: 'RETRIEVAL_QUERY' }, {}],
  });
});

test('numbers are read in every way of writing them', async () => {
  const answer = `{"data":[{"index":1.0,"embedding":[1.2e-05,1.0]},{"index":0.0,"embedding":[-0.0,2.50]}],
    "usage":{"prompt_tokens":7.0}}`;
  const reply: Reply = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  expect(await embed(reply)).toEqual({
    vectors: [
      [-0, 2.5],
      [0.000012, 1],
    ],
    tokens: 7,
  });
});

test('as many vectors as a call may bring, of as many dimensions as can be stored, are read', async () => {
  const texts = Array.from({ length: MAX_TEXTS }, (_, at) => `text ${at}`);
  const { vectors } = await embed(json(data(...texts.map(() => Array.from({ length: 4_096 }, () => 0.012345678901)))), {
    texts,
  });
  expect(vectors).toHaveLength(MAX_TEXTS);
});

test.each<[string, unknown, string]>([
  ['too few vectors', data([1]), '1 embeddings for 2 texts'],
  ['too many vectors', data([1], [1], [1]), '3 embeddings for 2 texts'],
  ['different dimensions', data([1], [1, 2]), 'different dimensions (1, 2)'],
  ['no numbers', data([1], ['x']), 'no list of numbers'],
  ['nothing where a number belongs', data([1], [null]), 'no list of numbers'],
  ['a number beyond all bounds', '{"data":[{"embedding":[1]},{"embedding":[1e999]}]}', 'no list of numbers'],
  ['a length beyond all bounds', data([1], [1.7e308, 1.7e308]), 'without a direction'],
  ['only zeros', data([1], [0]), 'without a direction'],
  ['no dimension', data([], []), '0 dimensions'],
  [
    'too many dimensions',
    data(
      [1],
      Array.from({ length: 4_097 }, () => 1),
    ),
    '4097 dimensions',
  ],
  [
    'the same place twice',
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    },
    'which text',
  ],
  ['something else', { object: 'list' }, '0 embeddings'],
  ['a list', [1, 2], '0 embeddings'],
  ['an error', { error: { message: 'no such model sk-secret-1' } }, 'no such model [secret]'],
])('an answer with %s is an error in words', async (_name, answer, words) => {
  const reply: Reply = (response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  await expect(embed(reply)).rejects.toMatchObject({
    name: 'ProviderFailure',
    message: expect.stringContaining(words),
  });
});

test.each<[string, Reply, string]>([
  ['is too busy', json({ error: { message: 'slow down' } }, 429), 'busy'],
  ['rejects the key', json({ error: { message: 'bad key' } }, 401), 'credentials'],
  ['does not know the model', json({ error: { message: 'unknown model' } }, 404), 'rejected'],
  ['takes no text so long', json({ error: { message: 'maximum context length is 512 tokens' } }, 400), 'rejected'],
  ['fails', json({}, 500), 'outage'],
  ['hangs up', (response) => void response.destroy(), 'outage'],
  ['sends a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), 'outage'],
  [
    'sends without an end',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const flood = () => void (response.destroyed || !response.write('[0,'.repeat(50_000), () => setImmediate(flood)));
      flood();
    },
    'outage',
  ],
])('a provider that %s fails as %s', async (_name, reply, kind) => {
  await expect(embed(reply)).rejects.toMatchObject({ name: 'ProviderFailure', kind });
});

test('a provider that hangs fails as timeout', async () => {
  const limits = { ...LIMITS, firstByteMs: 300 };
  await expect(embed(() => undefined, { limits })).rejects.toMatchObject({ name: 'ProviderFailure', kind: 'timeout' });
});

test('a provider that has no embeddings says so, and is not called', async () => {
  await expect(embed(json({}), { streamType: 'anthropic' })).rejects.toThrow('Mine offers no embeddings');
  expect(server.seen).toEqual([]);
});
