import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '../../test/support/api-client.ts';
import { registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();

type Fields = Record<string, unknown>;

let client: ApiClient;
beforeAll(async () => {
  ({ client } = await registerUser(served.url));
});

const URL = 'https://models.example.com/v1';
const add = async (fields: Fields) =>
  client.post<Fields & { id: string }>('/api/providers', { name: 'Mine', base_url: URL, ...fields });
const bedrock = { provider_type: 'amazon-bedrock', base_url: null };
const keys = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret', session_token: 'token' };

describe('an account that signs in in another way than with an API key', () => {
  test.each<[string, Fields, string, string[]]>([
    [
      'has keys of AWS for an address without a region',
      { ...bedrock, base_url: URL, credentials: keys },
      'region',
      ['region'],
    ],
    [
      'has half of the keys of AWS',
      { ...bedrock, credentials: { access_key_id: 'AKIDEXAMPLE' } },
      'secret_access_key',
      ['secret_access_key'],
    ],
    [
      'has the file of a user where that of a service account should be',
      { provider_type: 'google-vertex', credentials: { service_account_json: '{"type":"authorized_user"}' } },
      'service_account_json',
      ['service_account_json'],
    ],
    [
      'has neither key nor token',
      { provider_type: 'azure', credentials: { token: 't' } },
      'api_key, or access_token',
      [],
    ],
  ])('is refused when it %s, and told what is missing, at the entry', async (_what, fields, words, entry) => {
    const answer = await add(fields);
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'credentials', ...entry], msg: expect.stringContaining(words) }] },
    ]);
  });

  test('finds in the catalog each way to sign in, with what it needs', async () => {
    interface Entry {
      readonly key: string;
      readonly auth_types: string[];
      readonly credential_forms: {
        key: string;
        entries: { name: string; is_optional: boolean; is_secret: boolean }[];
      }[];
    }
    const { json } = await client.get<Entry[]>('/api/providers/catalog?limit=1000');
    const entryOf = (key: string) => json.find((entry) => entry.key === key);
    expect(entryOf('amazon-bedrock')).toMatchObject({
      auth_types: ['apikey'],
      credential_forms: [
        { key: 'api_key', entries: [{ name: 'api_key', is_optional: false, is_secret: true }] },
        {
          key: 'aws_keys',
          entries: [
            { name: 'access_key_id', is_optional: false, is_secret: false },
            { name: 'secret_access_key', is_optional: false, is_secret: true },
            { name: 'session_token', is_optional: true, is_secret: true },
            { name: 'region', is_optional: true, is_secret: false },
          ],
        },
      ],
    });
    expect(entryOf('ollama')?.auth_types).toEqual(['none', 'apikey']);
    expect(entryOf('openai-compatible')?.auth_types).toEqual(['apikey', 'none']);
    expect(entryOf('demo')).toMatchObject({ auth_types: ['none'], credential_forms: [] });
    expect(entryOf('codex')).toMatchObject({ auth_types: ['oauth'], credential_forms: [] });
  });

  test.each<[string, Fields]>([
    ['keys of AWS for the region of the address', { ...bedrock, credentials: keys }],
    ['keys of AWS for a region', { ...bedrock, base_url: URL, credentials: { ...keys, region: 'eu-west-1' } }],
    ['an API key of Bedrock', { ...bedrock, credentials: { api_key: 'bedrock-key' } }],
    ['an access token of Azure', { provider_type: 'azure', credentials: { access_token: 'eyJ' } }],
    ['an access token of Google', { provider_type: 'google-vertex', credentials: { access_token: 'ya29.x' } }],
  ])('is taken with %s, which is never shown', async (_what, fields) => {
    const answer = await add(fields);
    expect([answer.status, answer.json]).toMatchObject([201, { auth_type: 'apikey', has_credentials: true }]);
    expect(JSON.stringify(answer.json)).not.toMatch(/secret"|eyJ|ya29|bedrock-key/);
  });

  test('is not changed to what cannot work', async () => {
    const { id } = (await add({ ...bedrock, credentials: keys })).json;
    const answer = await client.patch(`/api/providers/${id}`, { base_url: URL, credentials: keys });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'credentials', 'region'] }] }]);
  });
});

describe('an address with placeholders', () => {
  test.each([
    'https://{resource}.openai.azure.com/openai/v1',
    'https://example.com/accounts/{account_id}/ai/v1',
    'https://example.com/accounts/%7Baccount_id%7D/ai/v1',
    'https://example.com/{',
  ])('is refused until they are filled in (%s)', async (url) => {
    const answer = await add({ provider_type: 'azure', base_url: url, credentials: { api_key: 'k' } });
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'base_url'], msg: expect.stringContaining('instead of') }] },
    ]);
  });
});
