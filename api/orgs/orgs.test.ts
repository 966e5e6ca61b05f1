import { describe, expect, test } from '@jest/globals';
import { findDeletedOrgs, purgeOrg } from '../../db/membership-changes/delete-org.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { addDevice, invite, join } from '../../test/support/invitations.ts';
import { registerColleague, registerManaged } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Org {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}
interface Me {
  readonly active_org_id: string | null;
  readonly is_managed: boolean;
  readonly orgs: readonly Org[];
}

const served = serveTestApi();
const me = async ({ client }: Pick<TestUser, 'client'>) => (await client.get<Me>('/api/users/me')).json;
const create = async ({ client }: TestUser, fields: Record<string, unknown> = {}) =>
  (await client.post<Org>('/api/orgs', { name: 'Second', ...fields })).json;
const queueTurn = async (user: TestUser) => {
  const chatId = await createChat(user.client, await createAgent(user.client));
  const owner = { orgId: user.orgId, userId: user.id };
  const message = { chatId, content: 'hello', clientMessageId: undefined };
  return acceptMessage(served.api.database, owner, message);
};

describe('POST /api/orgs', () => {
  test('makes an organization that the caller owns, and leaves their active one', async () => {
    const user = await registerUser(served.url);
    const answer = await user.client.post('/api/orgs', { name: ' Lab ', icon: '🧪', color: '#1f6FEB' });
    expect([answer.status, answer.json]).toMatchObject([
      201,
      { name: 'Lab', icon: '🧪', color: '#1f6FEB', role: 'owner', created_at: expect.stringMatching(/Z$/) },
    ]);
    expect(await me(user)).toMatchObject({ active_org_id: user.orgId, orgs: [{}, {}] });
  });

  test.each([{ color: 'red' }, { color: '#12345' }, { name: 'a\nb' }, { name: 'gpj\u202Eexe' }, { icon: 7 }])(
    'answers 422 to %j',
    async (fields) => {
      const { client } = await registerUser(served.url);
      expect((await client.post('/api/orgs', { name: 'Lab', ...fields })).status).toBe(422);
    },
  );

  test('gives a user who belongs to none an active one', async () => {
    const user = await registerUser(served.url);
    expect((await user.client.delete(`/api/orgs/${user.orgId}`)).status).toBe(204);
    expect(await me(user)).toMatchObject({ active_org_id: null, orgs: [] });
    expect((await user.client.get('/api/agents')).status).toBe(403);
    const { id } = await create(user);
    expect(await me(user)).toMatchObject({ active_org_id: id });
    expect((await user.client.get('/api/agents')).status).toBe(200);
  });
});

describe('GET /api/orgs', () => {
  test("lists the caller's organizations by name, with their own role in each", async () => {
    const host = await registerUser(served.url);
    const user = await join(host, 'viewer');
    await create(user, { name: 'AAA' });
    const { json } = await user.client.get<Org[]>('/api/orgs');
    expect(json.map(({ role }) => role).toSorted()).toEqual(['owner', 'owner', 'viewer']);
    expect(json[0]).toMatchObject({ name: 'AAA' });
  });
});

describe('GET /api/orgs/{org_id}', () => {
  test('answers 422 to an id that is no UUID, also when the caller belongs to no organization', async () => {
    const user = await registerUser(served.url);
    expect((await user.client.delete(`/api/orgs/${user.orgId}`)).status).toBe(204);
    expect((await user.client.get('/api/orgs/mine')).status).toBe(422);
  });
});

describe('PATCH /api/orgs/{org_id}', () => {
  test('changes the given fields and no others', async () => {
    const user = await registerUser(served.url);
    const { id } = await create(user, { icon: 'x', color: '#fff' });
    const answer = await user.client.patch(`/api/orgs/${id}`, { icon: '' });
    expect([answer.status, answer.json]).toMatchObject([200, { name: 'Second', icon: '', color: '#fff' }]);
    expect((await user.client.get(`/api/orgs/${id}`)).json).toEqual(answer.json);
  });
});

describe('approvals_reminder_minutes', () => {
  test('is set, stays while it is not named, and is cleared by null', async () => {
    const user = await registerUser(served.url);
    const path = `/api/orgs/${user.orgId}`;
    expect((await user.client.get(path)).json).toMatchObject({ approvals_reminder_minutes: null });
    const set = await user.client.patch(path, { approvals_reminder_minutes: 240 });
    expect([set.status, set.json]).toMatchObject([200, { approvals_reminder_minutes: 240 }]);
    expect((await user.client.patch(path, { name: 'Lab' })).json).toMatchObject({ approvals_reminder_minutes: 240 });
    const cleared = await user.client.patch(path, { approvals_reminder_minutes: null });
    expect(cleared.json).toMatchObject({ name: 'Lab', approvals_reminder_minutes: null });
  });

  test.each([0, 1.5, 129_601, '60'])('answers 422 to %j', async (minutes) => {
    const user = await registerUser(served.url);
    const answer = await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_reminder_minutes: minutes });
    expect(answer.status).toBe(422);
  });
});

describe('approvals_quorum', () => {
  test('is 1 unless it is set', async () => {
    const user = await registerUser(served.url);
    const path = `/api/orgs/${user.orgId}`;
    expect((await user.client.get(path)).json).toMatchObject({ approvals_quorum: 1 });
    expect((await user.client.patch(path, { approvals_quorum: 2 })).json).toMatchObject({ approvals_quorum: 2 });
    for (const bad of [0, 21, 1.5, null])
      expect((await user.client.patch(path, { approvals_quorum: bad })).status).toBe(422);
  });
});

describe('approvals_escalation_user_id', () => {
  test('is a member who may decide, and is cleared when they leave', async () => {
    const user = await registerUser(served.url);
    const path = `/api/orgs/${user.orgId}`;
    const none = { approvals_escalation_minutes: null, approvals_escalation_role: 'admin' };
    expect((await user.client.get(path)).json).toMatchObject({ ...none, approvals_escalation_user_id: null });
    const grace = await registerColleague(served.api, user, 'member');
    const named = { approvals_escalation_minutes: 60, approvals_escalation_user_id: grace.id };
    const set = await user.client.patch(path, { ...named, approvals_escalation_role: 'owner' });
    expect([set.status, set.json]).toMatchObject([200, { ...named, approvals_escalation_role: 'owner' }]);
    expect((await user.client.patch(path, { name: 'Lab' })).json).toMatchObject(named);
    await user.client.delete(`${path}/members/${grace.id}`);
    const left = { ...named, approvals_escalation_role: 'owner', approvals_escalation_user_id: null };
    expect((await user.client.get(path)).json).toMatchObject(left);
    expect((await user.client.patch(path, named)).status).toBe(404);
    const viewer = await registerColleague(served.api, user, 'viewer');
    for (const bad of [{ approvals_escalation_user_id: viewer.id }, { approvals_escalation_role: 'viewer' }])
      expect((await user.client.patch(path, bad)).status).toBe(422);
  });
});

describe('POST /api/orgs/{org_id}/switch', () => {
  test('makes another organization the active one, for every session of the user', async () => {
    const user = await registerUser(served.url);
    await createAgent(user.client);
    const { id } = await create(user);
    expect((await user.client.post(`/api/orgs/${id}/switch`)).json).toMatchObject({ active_org_id: id });
    expect((await user.client.get('/api/agents')).json).toEqual([]);
    expect((await user.client.get<unknown[]>('/api/agents', { 'x-org-id': user.orgId })).json).toHaveLength(1);
  });
});

describe('DELETE /api/orgs/{org_id}', () => {
  test('makes everything of it unreachable at once, for its members and with every credential', async () => {
    const owner = await registerUser(served.url);
    const member = await join(owner);
    const device = await addDevice(owner);
    const { json: key } = await member.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'k' });
    const { token } = await invite(owner);
    expect((await owner.client.delete(`/api/orgs/${owner.orgId}`)).status).toBe(204);
    const as = (credential: string) => owner.client.as(credential);
    expect((await as(key.key).get('/api/agents')).status).toBe(401);
    expect((await as(device.api_key).get('/api/agents')).status).toBe(401);
    expect((await as(device.access_token).get('/api/users/me')).status).toBe(401);
    expect((await owner.client.post('/api/auth/refresh', { refresh_token: device.device_token })).status).toBe(401);
    expect((await owner.client.get(`/api/orgs/invite/${token}`)).status).toBe(404);
    expect((await owner.client.get(`/api/orgs/${owner.orgId}`)).status).toBe(404);
    expect((await me(member)).orgs).toHaveLength(1);
    expect((await me(member)).active_org_id).toBe((await me(member)).orgs[0]?.id);
  });

  test('asks the turns to stop that its members have running', async () => {
    const owner = await registerUser(served.url);
    const member = await join(owner);
    const turns = [await queueTurn(owner), await queueTurn(member)].map(({ turnId }) => turnId);
    await owner.client.delete(`/api/orgs/${owner.orgId}`);
    const { rows } = await served.api.database.system.query(
      'select 1 from turns where id = any($1) and interrupt_requested_at is not null and next_wake_at <= now()',
      [turns],
    );
    expect(rows).toHaveLength(2);
  });

  test('is refused to everybody but the owner', async () => {
    const owner = await registerUser(served.url);
    const admin = await join(owner, 'admin');
    expect((await admin.client.delete(`/api/orgs/${owner.orgId}`)).status).toBe(403);
  });
});

describe('findDeletedOrgs', () => {
  test('finds what the background has left lying for a minute, and nothing that is alive', async () => {
    const [owner, other] = [await registerUser(served.url), await registerUser(served.url)];
    await owner.client.delete(`/api/orgs/${owner.orgId}`);
    const { database } = served.api;
    expect(await findDeletedOrgs(database, 100)).not.toContain(owner.orgId);
    await database.system.query("update orgs set deleted_at = deleted_at - interval '2 minutes' where id = $1", [
      owner.orgId,
    ]);
    const found = await findDeletedOrgs(database, 100);
    expect(found).toContain(owner.orgId);
    expect(found).not.toContain(other.orgId);
  });
});

describe('purgeOrg', () => {
  test('removes every row of a deleted organization and the accounts that it managed, and no others', async () => {
    const owner = await registerUser(served.url);
    const member = await join(owner);
    const managed = await registerManaged(served.api, owner, 'member');
    const { user_id: deviceUserId } = await addDevice(owner);
    const other = await registerUser(served.url);
    await queueTurn(other);
    await queueTurn(owner);
    await queueTurn(managed);
    await owner.client.delete(`/api/orgs/${owner.orgId}`);
    const { database } = served.api;
    expect(await purgeOrg(database, owner.orgId, () => undefined)).toBe(true);
    const { rows: tables } = await database.system.query<{ name: string }>(
      "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'org_id'",
    );
    for (const { name } of tables) {
      const { rows } = await database.system.query(`select 1 from ${name} where org_id = $1`, [owner.orgId]);
      expect([name, rows.length]).toEqual([name, 0]);
    }
    const ids = [owner.id, member.id, managed.id, deviceUserId, other.id];
    const { rows } = await database.system.query<{ id: string }>('select id from users where id = any($1)', [ids]);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([owner.id, member.id, other.id]));
    expect((await database.system.query('select 1 from orgs where id = $1', [owner.orgId])).rows).toEqual([]);
    expect((await other.client.get<unknown[]>('/api/chats')).json).toHaveLength(1);
    expect(await purgeOrg(database, owner.orgId, () => undefined)).toBe(true);
  });

  test('leaves those who had left before, with what they have elsewhere', async () => {
    const owner = await registerUser(served.url);
    const former = await registerManaged(served.api, owner, 'member');
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${former.id}`);
    await owner.client.delete(`/api/orgs/${owner.orgId}`);
    await purgeOrg(served.api.database, owner.orgId, () => undefined);
    const { email, password } = former;
    expect((await former.client.as(undefined).post('/api/auth/login', { email, password })).status).toBe(200);
  });

  test('leaves an organization alone that was not deleted', async () => {
    const owner = await registerUser(served.url);
    await queueTurn(owner);
    expect(await purgeOrg(served.api.database, owner.orgId, () => undefined)).toBe(false);
    expect((await owner.client.get<unknown[]>('/api/chats')).json).toHaveLength(1);
  });
});
