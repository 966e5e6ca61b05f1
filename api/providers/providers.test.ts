import { describe, expect, test } from '@jest/globals';
import { registerColleague } from '../../test/support/people.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createProvider, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { findProviderAccount, openCredentials } from '../../db/providers/provider-accounts.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';

type Fields = Record<string, unknown>;

const served = serveTestApi();
const URL = 'https://models.example.com/v1';
const NEW = {
  provider_type: 'openai-compatible',
  name: 'Mine',
  base_url: URL,
  model_name: 'm-1',
  credentials: { api_key: 'sk-1' },
};
const create = async (client: ApiClient, fields: Fields = {}) =>
  client.post<Fields>('/api/providers', { ...NEW, ...fields });

/** Returns the credentials that the worker would send with a call. */
async function storedCredentials(orgId: string, id: string) {
  const account = await withOrgTransaction(served.api.database, orgId, async (em) => findProviderAccount(em, id));
  return openCredentials(new SecretBox([TEST_SECRET_KEY]), account);
}

describe('POST /api/providers', () => {
  test("takes the specification's defaults, and says of the credentials only that there are some", async () => {
    const { client } = await registerUser(served.url);
    const answer = await create(client);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      provider_type: 'openai-compatible',
      name: 'Mine',
      auth_type: 'apikey',
      model_name: 'm-1',
      base_url: URL,
      cooldown_seconds: 60,
      has_credentials: true,
    });
    expect(answer.json).not.toHaveProperty('credentials');
    expect((await client.get<Fields[]>('/api/providers')).json).toEqual([answer.json]);
  });

  test('says that an account has no credentials when none are given', async () => {
    const { client } = await registerUser(served.url);
    expect((await create(client, { auth_type: 'none', credentials: {} })).json['has_credentials']).toBe(false);
  });

  test.each<[string, Fields, string]>([
    ['has no key', { provider_type: 'openai', base_url: null, credentials: {} }, 'credentials.api_key'],
    ['has a key of another name', { credentials: { apiKey: 'sk-1' } }, 'credentials.api_key'],
    ['has a key and says that it needs none', { auth_type: 'none' }, 'credentials'],
    ['signs in as its provider does not', { provider_type: 'openai', base_url: null, auth_type: 'oauth' }, 'auth_type'],
    ['is a demo with a key', { provider_type: 'demo', base_url: null, auth_type: 'apikey' }, 'auth_type'],
    ['has no model, and the catalog knows none', { model_name: null }, 'model_name'],
    [
      'is of a command-line agent',
      { provider_type: 'claude-code', base_url: null, auth_type: 'oauth' },
      'provider_type',
    ],
    [
      'has half of the keys of AWS',
      { provider_type: 'amazon-bedrock', base_url: null, credentials: { access_key_id: 'AKIDEXAMPLE' } },
      'credentials.secret_access_key',
    ],
  ])('answers 422 and stores nothing when the account %s', async (_what, fields, field) => {
    const { client } = await registerUser(served.url);
    const answer = await create(client, fields);
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', ...field.split('.')] }] }]);
    expect((await client.get('/api/providers')).json).toEqual([]);
  });

  test.each<[string, Fields, string]>([
    ['the demo', { provider_type: 'demo', base_url: null, model_name: null, credentials: {} }, 'none'],
    ['a server without keys', { provider_type: 'ollama', model_name: null, credentials: {} }, 'none'],
    ['a server of that kind with a key', { provider_type: 'vllm', model_name: null }, 'apikey'],
    ['a provider with a model of its own', { provider_type: 'openai', base_url: null, model_name: null }, 'apikey'],
  ])('takes %s, and says how it signs in', async (_what, fields, authType) => {
    const { client } = await registerUser(served.url);
    const answer = await create(client, fields);
    expect([answer.status, answer.json]).toMatchObject([201, { auth_type: authType }]);
  });

  test('answers 422 when the catalog does not know the type', async () => {
    const { client } = await registerUser(served.url);
    const answer = await create(client, { provider_type: 'unknown' });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'provider_type'] }] }]);
  });

  test('answers 422 when the provider needs an address and none is given', async () => {
    const { client } = await registerUser(served.url);
    const answer = await create(client, { base_url: null });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'base_url'] }] }]);
  });

  test.each([
    'http://127.0.0.1:8080/v1',
    'http://localhost/v1',
    'http://models.localhost/v1',
    'http://10.0.0.1/v1',
    'http://192.168.1.1/v1',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/v1',
    'http://[::ffff:127.0.0.1]/v1',
    'http://0x7f.1/v1',
    'http://2130706433/v1',
    'http://0.0.0.0/v1',
    'https://user:pass@models.example.com/v1',
    'ftp://models.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'models.example.com',
  ])('refuses the address %s', async (url) => {
    const { client } = await registerUser(served.url);
    const answer = await create(client, { base_url: url });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'base_url'] }] }]);
    expect((await client.get('/api/providers')).json).toEqual([]);
  });
});

describe('PATCH /api/providers/{provider_id}', () => {
  test('changes the given fields only, and keeps the credentials', async () => {
    const { client, orgId } = await registerUser(served.url);
    const { json: before } = await create(client);
    const id = String(before['id']);
    const answer = await client.patch<Fields>(`/api/providers/${id}`, { name: 'Renamed', cooldown_seconds: 0 });
    const expected = { ...before, name: 'Renamed', cooldown_seconds: 0, updated_at: answer.json['updated_at'] };
    expect([answer.status, answer.json]).toEqual([200, expected]);
    expect(await storedCredentials(orgId, id)).toEqual({ api_key: 'sk-1' });
  });

  test('answers 422 and changes nothing when the address changes without the credentials', async () => {
    const { client, orgId } = await registerUser(served.url);
    const { json: before } = await create(client);
    const id = String(before['id']);
    for (const url of ['https://elsewhere.example.com/v1', `${URL}/`]) {
      const answer = await client.patch(`/api/providers/${id}`, { base_url: url, name: 'Renamed' });
      expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'credentials'] }] }]);
    }
    expect((await client.get('/api/providers')).json).toEqual([before]);
    expect(await storedCredentials(orgId, id)).toEqual({ api_key: 'sk-1' });
  });

  test('changes the address when the credentials come along, and replaces them whole', async () => {
    const { client, orgId } = await registerUser(served.url);
    const id = await createProvider(client, URL, { credentials: { api_key: 'sk-1', organization: 'acme' } });
    const changes = { base_url: 'https://elsewhere.example.com/v1', credentials: { api_key: 'sk-2' } };
    const answer = await client.patch(`/api/providers/${id}`, changes);
    expect([answer.status, answer.json]).toMatchObject([200, { base_url: changes.base_url }]);
    expect(await storedCredentials(orgId, id)).toEqual({ api_key: 'sk-2' });
  });

  test('takes the same address again without the credentials', async () => {
    const { client } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    expect((await client.patch(`/api/providers/${id}`, { base_url: URL })).status).toBe(200);
  });

  test('refuses an address that leads to a private network', async () => {
    const { client } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    const body = { base_url: 'http://169.254.169.254/', credentials: { api_key: 'sk-2' } };
    expect((await client.patch(`/api/providers/${id}`, body)).status).toBe(422);
  });

  test.each<[string, Fields, string]>([
    ['takes the key away', { credentials: {} }, 'credentials.api_key'],
    ['leaves a key that is not used any more', { auth_type: 'none' }, 'credentials'],
    ['takes the model away', { model_name: null }, 'model_name'],
    ['signs in another way', { auth_type: 'oauth' }, 'auth_type'],
  ])('answers 422 and changes nothing when the change %s', async (_what, changes, field) => {
    const { client } = await registerUser(served.url);
    const { json: before } = await create(client);
    const answer = await client.patch<Fields>(`/api/providers/${String(before['id'])}`, changes);
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', ...field.split('.')] }] }]);
    expect((await client.get('/api/providers')).json).toEqual([before]);
  });

  test('refuses to change the type', async () => {
    const { client } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    expect((await client.patch(`/api/providers/${id}`, { provider_type: 'openai' })).status).toBe(422);
  });
});

describe('deleting a provider account', () => {
  test('hides it until it is restored, with its credentials', async () => {
    const { client, orgId } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    expect((await client.delete(`/api/providers/${id}`)).status).toBe(204);
    expect((await client.get('/api/providers')).json).toEqual([]);
    expect((await client.patch(`/api/providers/${id}/restore`)).json).toMatchObject({ id, has_credentials: true });
    expect(await storedCredentials(orgId, id)).toHaveProperty('api_key');
  });

  test('answers 409 to the restore of an account that is not deleted', async () => {
    const { client } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    expect((await client.patch(`/api/providers/${id}/restore`)).status).toBe(409);
  });

  test('answers 409 to all but one of the simultaneous restores of an account', async () => {
    const { client } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    await client.delete(`/api/providers/${id}`);
    const restores = Array.from({ length: 4 }, async () => client.patch(`/api/providers/${id}/restore`));
    const statuses = (await Promise.all(restores)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  });

  test.each([false, true])('removes it for good when it is purged (deleted before: %s)', async (isDeleted) => {
    const { client } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    if (isDeleted) await client.delete(`/api/providers/${id}`);
    expect((await client.delete(`/api/providers/${id}/purge`)).status).toBe(204);
    expect((await client.patch(`/api/providers/${id}/restore`)).status).toBe(404);
    const { rows } = await served.api.database.system.query('select 1 from provider_accounts where id = $1', [id]);
    expect(rows).toEqual([]);
  });
});

describe('an account of a colleague', () => {
  const act = async (client: ApiClient, id: string) => [
    (await client.patch(`/api/providers/${id}`, { name: 'Taken' })).status,
    (await client.patch(`/api/providers/${id}/restore`)).status,
    (await client.delete(`/api/providers/${id}`)).status,
    (await client.delete(`/api/providers/${id}/purge`)).status,
  ];

  test('is seen but not changed by a member', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const id = await createProvider(owner.client, URL);
    expect((await member.client.get<Fields[]>('/api/providers')).json).toMatchObject([{ id }]);
    expect(await act(member.client, id)).toEqual([403, 403, 403, 403]);
    expect((await owner.client.get<Fields[]>('/api/providers')).json).toMatchObject([{ id, name: 'Scripted model' }]);
  });

  test('is changed by an administrator', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const admin = await registerColleague(served.api, owner, 'admin');
    const id = await createProvider(member.client, URL);
    expect(await act(admin.client, id)).toEqual([200, 409, 204, 204]);
  });
});

describe('GET /api/providers/catalog', () => {
  test('lists three CLI providers, about 45 of an API, and the demo', async () => {
    const { client } = await registerUser(served.url);
    const { json } =
      await client.get<{ key: string; auth_type: string; stream_type: string }[]>('/api/providers/catalog');
    expect(json.filter(({ auth_type: type }) => type === 'oauth').map(({ key }) => key)).toHaveLength(3);
    expect(json.filter(({ stream_type: type }) => type === 'openai_compat').length).toBeGreaterThanOrEqual(40);
    expect(json).toContainEqual(expect.objectContaining({ key: 'demo', stream_type: 'demo', auth_type: 'none' }));
    expect(new Set(json.map(({ key }) => key)).size).toBe(json.length);
  });
});

describe('GET /api/providers/{provider_id}', () => {
  test('shows an account, and to others only one that is shared', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const own = await createProvider(member.client, URL);
    const shared = await createProvider(owner.client, URL);
    const other = await registerColleague(served.api, owner, 'member');
    const statuses = async (client: ApiClient) =>
      Promise.all([own, shared].map(async (id) => (await client.get(`/api/providers/${id}`)).status));
    expect([await statuses(owner.client), await statuses(member.client)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    expect(await statuses(other.client)).toEqual([404, 200]);
  });

  test('finds no account that was deleted, which is listed among the deleted ones alone', async () => {
    const { client } = await registerUser(served.url);
    const id = await createProvider(client, URL);
    await client.delete(`/api/providers/${id}`);
    expect((await client.get(`/api/providers/${id}`)).status).toBe(404);
    expect((await client.get('/api/providers?deleted=true')).json).toMatchObject([{ id }]);
    expect((await client.get('/api/providers')).json).toEqual([]);
  });
});

describe('the catalog', () => {
  test('says which providers this version can use, and why not the others', async () => {
    const { client } = await registerUser(served.url);
    const { json } =
      await client.get<{ key: string; available: boolean; unavailable_reason: string | null }[]>(
        '/api/providers/catalog',
      );
    const missing = json.filter(({ available }) => !available).map(({ key }) => key);
    expect(missing).toEqual(['claude-code', 'codex', 'gemini-cli']);
    for (const { available, unavailable_reason: reason } of json) expect(reason === null).toBe(available);
  });
});
