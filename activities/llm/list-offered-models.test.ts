import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AwsV4Signer } from 'aws4fetch';
import {
  buildRequest,
  json,
  KEY,
  startWireServer,
  type WireReply,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { createListOfferedModels } from './list-offered-models.ts';
import type { SpecialSignIn } from './model-adapter.ts';

let server: WireServer;

beforeAll(async () => {
  server = await startWireServer();
});

afterEach(() => server.reject(() => undefined));
afterAll(() => server.close());

const never = new AbortController().signal;

async function list(streamType: string, reply: WireReply | readonly WireReply[], signIn?: SpecialSignIn) {
  server.answer(...[reply].flat());
  const { account } = buildRequest(server.url);
  const signedIn = { ...account, ...(signIn !== undefined && { apiKey: undefined, signIn }) };
  return createListOfferedModels(server.fetch, server.signIns)({ account: signedIn, model: 'm', streamType }, never);
}

const OPENAI = json(200, {
  object: 'list',
  data: [
    { id: 'gpt-b', object: 'model' },
    { id: 'gpt-a', object: 'model', display_name: 'GPT A' },
    { id: 'gpt-b', object: 'model' },
  ],
});
const SORTED = [
  { id: 'gpt-a', name: 'GPT A' },
  { id: 'gpt-b', name: null },
];

describe('the models of an account', () => {
  test.each([
    ['as OpenAI lists them', OPENAI],
    [
      'as Together AI lists them',
      json(200, [
        { id: 'gpt-b', context_length: 1 },
        { id: 'gpt-a', display_name: 'GPT A' },
      ]),
    ],
  ])('are told sorted and once each, %s', async (_how, reply) => {
    expect(await list('openai_compat', reply)).toEqual(SORTED);
    expect(server.requests).toMatchObject([{ path: '/models', headers: { authorization: `Bearer ${KEY}` } }]);
  });

  test('are returned as Anthropic lists them', async () => {
    const data = [{ type: 'model', id: 'claude-x', display_name: 'Claude X', created_at: '2026-01-01T00:00:00Z' }];
    expect(await list('anthropic', json(200, { data, has_more: false }))).toEqual([
      { id: 'claude-x', name: 'Claude X' },
    ]);
    expect(server.requests).toMatchObject([
      { path: '/v1/models?limit=1000', headers: { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' } },
    ]);
  });

  test('are returned as Gemini lists them, without those that only embed', async () => {
    const models = [
      { name: 'models/gemini-x', displayName: 'Gemini X', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embedding-1', displayName: 'Embedding', supportedGenerationMethods: ['embedContent'] },
    ];
    expect(await list('gemini', json(200, { models }))).toEqual([{ id: 'gemini-x', name: 'Gemini X' }]);
    expect(server.requests).toMatchObject([
      { path: '/v1beta/models?pageSize=1000', headers: { 'x-goog-api-key': KEY } },
    ]);
  });

  test('are returned as Bedrock lists them, with signatures that AWS takes', async () => {
    const keys = { accessKeyId: 'AKID', secretAccessKey: 's', sessionToken: undefined, region: 'eu-west-1' };
    const profiles = { inferenceProfileSummaries: [{ inferenceProfileId: 'eu.x', inferenceProfileName: 'EU X' }] };
    const models = { modelSummaries: [{ modelId: 'lab.x', modelName: 'X' }] };
    const listed = await list('bedrock', [json(200, profiles), json(200, models)], { type: 'aws_keys', ...keys });
    expect(listed).toEqual([
      { id: 'eu.x', name: 'EU X' },
      { id: 'lab.x', name: 'X' },
    ]);
    expect(server.requests).toHaveLength(2);
    for (const { path, headers } of server.requests) {
      const { sessionToken: _none, ...known } = keys;
      const datetime = String(headers['x-amz-date']);
      const again = { ...known, method: 'GET', url: `${server.url}${path}`, service: 'bedrock', datetime };
      const signed = await new AwsV4Signer(again).sign();
      expect(headers.authorization).toBe(signed.headers.get('authorization'));
    }
  });

  test('are at most a thousand, and none that cannot be one', async () => {
    const odd = [{ id: 5 }, null, { id: '' }, { id: 'a\u0000b' }, { id: 'x'.repeat(201) }, { id: `leak-${KEY}` }];
    const many = Array.from({ length: 3_000 }, (_, index) => ({ id: `m-${index}`, display_name: 'n'.repeat(9_000) }));
    const listed = await list('openai_compat', json(200, { data: [...odd, ...many.slice(0, 300)] }));
    expect(listed).toHaveLength(300);
    expect(listed.every(({ name }) => (name ?? '').length <= 200)).toBe(true);
    const all = await list('openai_compat', json(200, { data: many.map(({ id }) => ({ id })) }));
    expect(all).toHaveLength(1_000);
  });
});

describe('no models', () => {
  test.each<[string, string, WireReply, string]>([
    [
      'a wrong key',
      'openai_compat',
      json(401, { error: { message: `Bad key ${KEY}` } }),
      'Acme rejected the credentials',
    ],
    ['no list', 'openai_compat', json(404, {}), 'Acme has no list of models at this address (HTTP 404)'],
    ['something else', 'openai_compat', json(200, { hello: 1 }), 'Acme responded with JSON that is no list of models'],
    [
      'a page',
      'gemini',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'),
      'Acme answered with a web page',
    ],
    ['a redirect', 'anthropic', json(307, {}, { location: 'https://example.com/' }), 'Acme responded with a redirect'],
    ['a provider without one', 'demo', json(200, {}), 'Acme has no list of models'],
  ])('come from %s, in words', async (_what, streamType, reply, words) => {
    const error = await list(streamType, reply).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(error).toMatchObject({ name: 'ProviderFailure', message: expect.stringContaining(words) });
    expect(String(error)).not.toContain(KEY);
  });
});
