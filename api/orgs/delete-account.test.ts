import { beforeEach, describe, expect, test } from '@jest/globals';
import { registerManaged } from '../../test/contract/people.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { createChat, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { join } from '../../test/support/invitations.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
const system = async (text: string, values: unknown[] = []) => served.api.database.system.query(text, values);
const deleteAccount = async ({ client, password }: TestUser, current_password = password) =>
  client.post<{ detail: string }>('/api/users/me/delete', { current_password });

beforeEach(async () => system('delete from rate_limits'));

describe('an account that its user deletes', () => {
  test('can be used by nobody, and its address is free; what was theirs alone goes, what they made elsewhere stays', async () => {
    const owner = await registerUser(served.url);
    const user = await join(owner, 'member');
    const { json: key } = await user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'ci' });
    const chatId = await createChat(user.client);
    expect((await deleteAccount(user)).status).toBe(204);
    for (const token of [user.accessToken, key.key])
      expect((await user.client.as(token).get('/api/users/me')).status).toBe(401);
    const { email, password } = user;
    expect((await new ApiClient(served.url).post('/api/auth/login', { email, password })).status).toBe(401);
    const { rows } = await system('select email, full_name from users where id = $1', [user.id]);
    expect(rows).toEqual([{ email: expect.stringMatching(/^[\da-f-]{36}@removed\.invalid$/), full_name: '' }]);
    expect(
      (await system('select from orgs where id in (select org_id from chats where id = $1)', [chatId])).rowCount,
    ).toBe(1);
    expect((await system('select from memberships where user_id = $1', [user.id])).rowCount).toBe(0);
    const again = await new ApiClient(served.url).post('/api/auth/register', { email, password });
    expect(again.status).toBe(201);
    expect((await owner.client.get<unknown[]>(`/api/orgs/${owner.orgId}/members`)).json).toHaveLength(1);
  });

  test('is deleted also when somebody has registered with an address that is made of its id', async () => {
    const user = await registerUser(served.url);
    await registerUser(served.url, { email: `${user.id}@removed.invalid` });
    expect((await deleteAccount(user)).status).toBe(204);
  });

  test('has its own organizations marked as deleted', async () => {
    const user = await registerUser(served.url);
    expect((await deleteAccount(user)).status).toBe(204);
    const { rows } = await system('select deleted_at is not null as gone from orgs where id = $1', [user.orgId]);
    expect(rows).toEqual([{ gone: true }]);
  });

  test('leaves no credentials in organizations of others but those of accounts that were shared', async () => {
    const owner = await registerUser(served.url);
    const user = await join(owner, 'admin');
    const url = 'https://models.example.com/v1';
    const kept = await createProvider(user.client, url, { shared: true });
    await createProvider(user.client, url, { shared: false });
    const deleted = await createProvider(user.client, url, { shared: false });
    await user.client.delete(`/api/providers/${deleted}`);
    expect((await deleteAccount(user)).status).toBe(204);
    const { rows } = await system('select id from provider_accounts where user_id = $1', [user.id]);
    expect(rows).toEqual([{ id: kept }]);
  });

  test('stays as it is while others are in an organization of theirs, which the answer names', async () => {
    const owner = await registerUser(served.url);
    await owner.client.patch(`/api/orgs/${owner.orgId}`, { name: 'Lab' });
    const member = await join(owner, 'member');
    const answer = await deleteAccount(owner);
    expect([answer.status, answer.json.detail]).toEqual([409, expect.stringContaining('Lab')]);
    expect((await owner.client.get('/api/agents')).status).toBe(200);
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${member.id}`);
    expect((await deleteAccount(owner)).status).toBe(204);
  });

  test('stays when the password is wrong, or an organization manages it', async () => {
    const user = await registerUser(served.url);
    expect((await deleteAccount(user, 'wrong')).status).toBe(403);
    expect((await deleteAccount(await registerManaged(served.api, user, 'member'))).status).toBe(403);
    expect((await user.client.get('/api/users/me')).status).toBe(200);
  });
});
