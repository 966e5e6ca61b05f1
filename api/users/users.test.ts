import { describe, expect, test } from '@jest/globals';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
const NEW_PASSWORD = 'another horse battery';
const login = async (email: string, password: string) =>
  new ApiClient(served.url).post('/api/auth/login', { email, password });

describe('GET /api/users/me', () => {
  test('shows the caller with their organizations, and that they are not managed', async () => {
    const { client, id, email, orgId } = await registerUser(served.url);
    const answer = await client.get<object>('/api/users/me');
    expect(answer.json).toEqual({
      id,
      email,
      full_name: '',
      is_managed: false,
      active_org_id: orgId,
      orgs: [{ id: orgId, name: `${email.split('@')[0]}'s organization`, role: 'owner' }],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });
});

describe('PATCH /api/users/me', () => {
  test('changes the name and nothing else when only the name is given', async () => {
    const { client, email, password } = await registerUser(served.url);
    const answer = await client.patch('/api/users/me', { full_name: '  Ada Lovelace ' });
    expect(answer.json).toMatchObject({ full_name: 'Ada Lovelace', email });
    expect((await login(email, password)).status).toBe(200);
  });

  test('changes nothing when nothing is given', async () => {
    const { client } = await registerUser(served.url);
    const before = await client.patch('/api/users/me', { full_name: 'Ada' });
    const after = await client.patch<{ full_name: string }>('/api/users/me', {});
    expect([before.status, after.status, after.json.full_name]).toEqual([200, 200, 'Ada']);
  });

  test('ends every session of the user when the password changes', async () => {
    const { client, email, password, refreshToken } = await registerUser(served.url);
    const body = { password: NEW_PASSWORD, current_password: password };
    expect((await client.patch('/api/users/me', body)).status).toBe(200);
    expect((await client.get('/api/users/me')).status).toBe(401);
    expect((await client.post('/api/auth/refresh', { refresh_token: refreshToken })).status).toBe(401);
    expect((await login(email, password)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
  });

  test('answers 403 and changes nothing when the current password is wrong', async () => {
    const { client, email, password } = await registerUser(served.url);
    const body = { password: NEW_PASSWORD, current_password: 'wrong', full_name: 'Mallory' };
    expect((await client.patch('/api/users/me', body)).status).toBe(403);
    expect((await client.get('/api/users/me')).json).toMatchObject({ full_name: '' });
    expect((await login(email, password)).status).toBe(200);
  });

  test('answers 422 when a new password comes without the current one', async () => {
    const { client } = await registerUser(served.url);
    const answer = await client.patch('/api/users/me', { password: NEW_PASSWORD });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'current_password'] }] }]);
  });

  test('answers 429 when the current password is guessed at, to the right one too', async () => {
    const { client, password } = await registerUser(served.url);
    const guess = async (current: string) =>
      client.patch('/api/users/me', { password: NEW_PASSWORD, current_password: current });
    for (let n = 0; n < 10; n += 1) expect((await guess(`wrong ${n}`)).status).toBe(403);
    const answer = await guess(password);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('X-Org-Id', () => {
  test('chooses another organization of the caller for one request', async () => {
    const { client, id, orgId } = await registerUser(served.url);
    const other = await registerUser(served.url);
    const { system } = served.api.database;
    await system.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'viewer')", [other.orgId, id]);
    await other.client.post('/api/agents', { name: 'Theirs' });
    const elsewhere = await client.get<unknown[]>('/api/agents', { 'x-org-id': other.orgId.toUpperCase() });
    expect([elsewhere.status, elsewhere.json.length]).toEqual([200, 1]);
    expect((await client.get('/api/agents')).json).toEqual([]);
    expect((await client.get('/api/users/me')).json).toMatchObject({ active_org_id: orgId });
    const forbidden = await client.post('/api/agents', { name: 'Mine' }, { 'x-org-id': other.orgId });
    expect(forbidden.status).toBe(403);
  });
});
