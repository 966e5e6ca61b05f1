import { describe, expect, test } from '@jest/globals';
import { registerColleague } from '../../test/support/people.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly last_used_at: string | null;
}

const served = serveTestApi();
const PATH = '/api/users/me/api-keys';
const FORM = /^et_key_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/;
const create = async (client: ApiClient) => (await client.post<Key>(PATH, { name: 'ci' })).json;
const rotate = async (client: ApiClient, { id }: Key) => client.post<Key>(`${PATH}/${id}/rotate`);
const statusWith = async (key: string) => (await new ApiClient(served.url, key).get('/api/users/me')).status;

describe('POST /api/users/me/api-keys', () => {
  test('shows the key in this answer only', async () => {
    const { client } = await registerUser(served.url);
    const answer = await client.post<Key>(PATH, { name: 'ci' });
    expect([answer.status, answer.json]).toMatchObject([201, { name: 'ci', last_used_at: null }]);
    expect(answer.json.key).toMatch(FORM);
    const { key: _key, ...record } = answer.json;
    expect((await client.get(PATH)).json).toEqual([record]);
  });

  test('makes a key that is signed in as its user, in the organization that was active', async () => {
    const { client, id, orgId } = await registerUser(served.url);
    const answer = await client.as((await create(client)).key).get('/api/users/me');
    expect(answer.json).toMatchObject({ id, active_org_id: orgId });
  });
});

describe('an API key', () => {
  test('was never used until it is, and then shows when', async () => {
    const { client } = await registerUser(served.url);
    const { key } = await create(client);
    expect((await client.get<Key[]>(PATH)).json[0]?.last_used_at).toBeNull();
    const before = Date.now();
    expect(await statusWith(key)).toBe(200);
    const usedAt = Date.parse((await client.get<Key[]>(PATH)).json[0]?.last_used_at ?? '');
    expect(Math.abs(usedAt - before)).toBeLessThan(60_000);
  });

  test.each<[string, (key: string) => string]>([
    ['is cut', (key) => key.slice(0, -1)],
    ['is longer', (key) => `${key}A`],
    [
      'has another first letter in its secret',
      (key) => key.replace(/(_.{16}_)(.)/, (_all, head, first) => `${head}${first === 'A' ? 'B' : 'A'}`),
    ],
    ['is in upper case', (key) => key.toUpperCase()],
    ['has another prefix', (key) => key.replace('et_key_', 'et_dev_')],
    ['is the prefix only', () => 'et_key_'],
    ['lacks its secret', (key) => key.slice(0, 24)],
    ['holds SQL', () => "et_key_'_or_1=1--"],
  ])('is refused when it %s', async (_how, change) => {
    const { client } = await registerUser(served.url);
    const { key } = await create(client);
    expect(change(key)).not.toBe(key);
    expect(await statusWith(change(key))).toBe(401);
    expect(await statusWith(key)).toBe(200);
  });

  test("is refused when another key's secret follows its public part", async () => {
    const { client } = await registerUser(served.url);
    const [one, two] = [(await create(client)).key, (await create(client)).key];
    expect(await statusWith(one.slice(0, 24) + two.slice(24))).toBe(401);
  });

  test('is worth nothing once it is revoked, which happens once', async () => {
    const { client } = await registerUser(served.url);
    const { id, key } = await create(client);
    expect((await client.delete(`${PATH}/${id}`)).status).toBe(204);
    expect(await statusWith(key)).toBe(401);
    expect((await client.delete(`${PATH}/${id}`)).status).toBe(404);
    expect((await client.post(`${PATH}/${id}/rotate`)).status).toBe(404);
    expect((await client.get(PATH)).json).toEqual([]);
  });

  test('is worth nothing once its user has left the organization', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const { key } = await create(member.client);
    expect(await statusWith(key)).toBe(200);
    await member.client.post(`/api/orgs/${owner.orgId}/leave`);
    expect(await statusWith(key)).toBe(401);
  });

  test('has the rights that its user has at the time of the request', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const client = member.client.as((await create(member.client)).key);
    expect((await client.post('/api/agents', { name: 'A' })).status).toBe(201);
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${member.id}`, { role: 'viewer' });
    expect((await client.post('/api/agents', { name: 'A' })).status).toBe(403);
  });

  test('reaches its own organization only, whatever X-Org-Id names', async () => {
    const { client, id, orgId } = await registerUser(served.url);
    const other = await registerUser(served.url);
    const { system } = served.api.database;
    await system.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'admin')", [other.orgId, id]);
    const byKey = client.as((await create(client)).key);
    expect((await byKey.get('/api/agents', { 'x-org-id': orgId.toUpperCase() })).status).toBe(200);
    expect((await byKey.get('/api/agents', { 'x-org-id': other.orgId })).status).toBe(404);
  });
});

describe('POST /api/users/me/api-keys/{key_id}/rotate', () => {
  test('gives another value, and the old one is worthless at once', async () => {
    const { client } = await registerUser(served.url);
    const old = await create(client);
    const { status, json } = await rotate(client, old);
    expect([status, json]).toMatchObject([200, { id: old.id, name: 'ci' }]);
    expect(json.key).toMatch(FORM);
    expect([await statusWith(old.key), await statusWith(json.key)]).toEqual([401, 200]);
  });

  test('leaves exactly one good value when it comes twenty times at once', async () => {
    const { client } = await registerUser(served.url);
    const old = await create(client);
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(client, old)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const statuses = [];
    for (const { json } of answers) statuses.push(await statusWith(json.key));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await statusWith(old.key)).toBe(401);
  });

  test('can be done with the key itself', async () => {
    const { client } = await registerUser(served.url);
    const old = await create(client);
    const { json } = await rotate(client.as(old.key), old);
    expect([await statusWith(old.key), await statusWith(json.key)]).toEqual([401, 200]);
  });
});
