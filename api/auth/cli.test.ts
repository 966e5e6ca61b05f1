import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { forgetAttempts } from '../../test/support/forget-attempts.ts';
import { addDevice, invite, join, newEmail, redeem, type TestDevice } from '../../test/support/invitations.ts';
import { registerManaged } from '../../test/support/people.ts';
import { SocketClient } from '../../test/support/socket-client.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Device {
  readonly id: string;
  readonly name: string;
  readonly platform: string;
  readonly last_used_at: string | null;
}
interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

const served = serveTestApi();
const visitor = () => new ApiClient(served.url);
const system = async (text: string, values: unknown[] = []) => served.api.database.system.query(text, values);
const statusWith = async (token: string) => (await visitor().as(token).get('/api/users/me')).status;
const refresh = async (token: string) => visitor().post<Tokens>('/api/auth/refresh', { refresh_token: token });
const devicesOf = async (token: string) => (await visitor().as(token).get<Device[]>('/api/users/me/devices')).json;
const expectDead = async (device: TestDevice) => {
  expect([await statusWith(device.access_token), await statusWith(device.api_key)]).toEqual([401, 401]);
  expect((await refresh(device.device_token)).status).toBe(401);
};

beforeEach(async () => forgetAttempts(served.api.database));

describe('GET /api/auth/cli/invite/{token}', () => {
  test('shows the name of the organization, the role and the address, and no more', async () => {
    const owner = await registerUser(served.url);
    await owner.client.patch(`/api/orgs/${owner.orgId}`, { name: 'Lab' });
    const email = newEmail();
    const { token } = await invite(owner, { email, full_name: 'Ada' });
    const answer = await visitor().get(`/api/auth/cli/invite/${token}`);
    expect(answer.json).toEqual({ org_name: 'Lab', role: 'member', email });
  });
});

describe('POST /api/auth/cli/redeem', () => {
  test('makes a managed account without a password, and answers credentials that all work', async () => {
    const owner = await registerUser(served.url);
    await owner.client.patch(`/api/orgs/${owner.orgId}`, { name: 'Lab' });
    const email = newEmail();
    const answer = await redeem(visitor(), (await invite(owner, { email, full_name: 'Ada', role: 'viewer' })).token);
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        access_token: expect.any(String),
        device_token: expect.stringMatching(/^et_dev_[0-9a-f]{16}_[\w-]{43}$/),
        device_id: expect.any(String),
        api_key: expect.stringMatching(/^et_key_[0-9a-f]{16}_[\w-]{43}$/),
        org_id: owner.orgId,
        org_name: 'Lab',
        user_id: expect.any(String),
        created_account: true,
      },
    ]);
    const { access_token: accessToken, api_key: apiKey, device_token: deviceToken } = answer.json;
    for (const token of [accessToken, apiKey, (await refresh(deviceToken)).json.access_token]) {
      expect((await visitor().as(token).get('/api/users/me')).json).toMatchObject({
        email,
        full_name: 'Ada',
        is_managed: true,
        orgs: [{ id: owner.orgId, role: 'viewer' }],
      });
    }
    for (const password of ['', ' ', 'no account has this password']) {
      expect([401, 422]).toContain((await visitor().post('/api/auth/login', { email, password })).status);
    }
  });

  test('gives a key that opens the socket of a chat', async () => {
    const owner = await registerUser(served.url);
    const { api_key: apiKey } = await addDevice(owner);
    const client = visitor().as(apiKey);
    const chatId = await createChat(client, await createAgent(client));
    const socket = await SocketClient.connect(served.url, chatId, apiKey);
    socket.close();
  });

  test('makes one account, one device and one key when ten devices come with one token at once', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    const { token } = await invite(owner, { email });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_item, n) => redeem(visitor(), token, `device ${n}`)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 404),
    ]);
    const { rows } = await system(
      `select (select count(*) from users where email = $2) as users,
        (select count(*) from memberships where org_id = $1) as members,
        (select count(*) from device_tokens where org_id = $1) as devices,
        (select count(*) from api_keys where org_id = $1) as keys`,
      [owner.orgId, email],
    );
    expect(rows).toEqual([{ users: 1, members: 2, devices: 1, keys: 1 }]);
  });

  test('makes one account when two invites for one address are redeemed at once', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    const tokens = [(await invite(owner, { email })).token, (await invite(owner, { email })).token];
    const answers = await Promise.all(tokens.map(async (token) => redeem(visitor(), token)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(answers.filter(({ json }) => json.created_account)).toHaveLength(1);
    expect((await system('select 1 from users where email = $1', [email])).rows).toHaveLength(1);
  });

  test('signs another device of the same managed user in', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    const first = await addDevice(owner, email);
    const { token } = await invite(owner, { email, role: 'admin' });
    const second = await redeem(visitor(), token, 'desktop');
    expect(second.json).toMatchObject({ user_id: first.user_id, created_account: false });
    expect((await devicesOf(second.json.access_token)).map(({ name }) => name)).toEqual(['laptop', 'desktop']);
    expect((await visitor().as(second.json.api_key).get('/api/users/me')).json).toMatchObject({
      orgs: [{ id: owner.orgId, role: 'member' }],
    });
  });

  test('makes another account when its organization has removed the one of the address', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    const former = await addDevice(owner, email);
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${former.user_id}`, { role: 'member' });
    const agentId = await createAgent(owner.client);
    const { status } = await visitor().as(former.api_key).post('/api/chats', { agent_id: agentId });
    expect(status).toBe(201);
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${former.user_id}`);
    const answer = await redeem(visitor(), (await invite(owner, { email })).token);
    expect(answer.json).toMatchObject({ created_account: true });
    expect(answer.json.user_id).not.toBe(former.user_id);
    expect((await visitor().as(answer.json.api_key).get('/api/chats')).json).toEqual([]);
    await expectDead(former);
  });

  test('leaves an account with a password to those who know the password', async () => {
    const owner = await registerUser(served.url);
    const managed = await registerManaged(served.api, owner, 'member');
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${managed.id}`);
    const { token } = await invite(owner, { email: managed.email });
    expect((await redeem(visitor(), token)).status).toBe(409);
    expect((await managed.client.get('/api/users/me')).json).toMatchObject({ is_managed: false, orgs: [] });
  });

  test('answers no fault of ours when the member is removed in the same instant', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    for (let round = 0; round < 8; round += 1) {
      const { user_id: userId } = await addDevice(owner, email);
      const { token } = await invite(owner, { email });
      const path = `/api/orgs/${owner.orgId}/members/${userId}`;
      const [redeemed, removed] = await Promise.all([redeem(visitor(), token), owner.client.delete(path)]);
      expect([200, 404, 409]).toContain(redeemed.status);
      expect(removed.status).toBe(204);
      if (redeemed.status === 200 && redeemed.json.user_id !== userId) {
        await owner.client.delete(`/api/orgs/${owner.orgId}/members/${redeemed.json.user_id}`);
      }
    }
  });

  test('never hands out credentials of an account of its own, an admin, or a member elsewhere', async () => {
    const owner = await registerUser(served.url);
    const stranger = await registerUser(served.url);
    const boss = await registerManaged(served.api, owner, 'member');
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${boss.id}`, { role: 'admin' });
    // Made before the address was a member's: such an invite cannot be made afterwards.
    for (const victim of [stranger, boss]) {
      await system('delete from memberships where user_id = $1 and org_id = $2', [victim.id, owner.orgId]);
      const { token } = await invite(owner, { email: victim.email });
      if (victim === boss) {
        await system("insert into memberships (org_id, user_id, role) values ($1, $2, 'admin')", [
          owner.orgId,
          boss.id,
        ]);
      }
      const answer = await redeem(visitor(), token);
      expect([answer.status, answer.json]).toEqual([409, { detail: expect.stringContaining('sign in') }]);
      expect((await visitor().get(`/api/orgs/invite/${token}`)).status).toBe(200);
    }
    const { token } = await invite(owner, { email: stranger.email });
    expect((await stranger.client.post('/api/orgs/accept-invite', { token })).status).toBe(200);
  });

  test('refuses an invite that is for no particular person', async () => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner);
    expect((await redeem(visitor(), token)).status).toBe(409);
    expect((await visitor().get(`/api/orgs/invite/${token}`)).status).toBe(200);
  });

  test.each([
    { device_name: 'a\nb' },
    { device_name: '' },
    { device_name: 'x'.repeat(201) },
    { platform: '\u001B[31m' },
    { role: 'owner' },
    { email: 'other@example.com' },
  ])('answers 422 to %j, and the invite stays good', async (fields) => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner, { email: newEmail() });
    const body = { token, device_name: 'laptop', platform: 'Linux', ...fields };
    expect((await visitor().post('/api/auth/cli/redeem', body)).status).toBe(422);
    expect((await redeem(visitor(), token)).status).toBe(200);
  });
});

describe('a device token', () => {
  test('gives access tokens as often as it is asked, at once too, and stays the same', async () => {
    const device = await addDevice(await registerUser(served.url));
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(device.device_token)));
    for (const { status, json } of answers) {
      expect([status, json.refresh_token]).toEqual([200, device.device_token]);
      expect(await statusWith(json.access_token)).toBe(200);
    }
  });

  test('is accepted nowhere else', async () => {
    const owner = await registerUser(served.url);
    const { device_token: token, api_key: key } = await addDevice(owner);
    expect(await statusWith(token)).toBe(401);
    expect((await visitor().get(`/api/orgs/invite/${token}`)).status).toBe(404);
    expect((await redeem(visitor(), token)).status).toBe(404);
    const { token: inviteToken } = await invite(owner);
    for (const other of [key, inviteToken, `${token}x`, token.slice(0, -1), token.toUpperCase()]) {
      expect((await refresh(other)).status).toBe(401);
    }
    expect(await statusWith(inviteToken)).toBe(401);
  });

  test('reaches no other organization of its user, who has become free to own some', async () => {
    const owner = await registerUser(served.url);
    const device = await addDevice(owner);
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${device.user_id}`, { role: 'admin' });
    const client = visitor().as((await refresh(device.device_token)).json.access_token);
    const { json: own } = await client.post<{ id: string }>('/api/orgs', { name: 'Mine' });
    await system('update users set active_org_id = $1 where id = $2', [own.id, device.user_id]);
    expect((await client.get('/api/agents', { 'x-org-id': own.id })).status).toBe(404);
    expect((await client.get(`/api/orgs/${own.id}`)).status).toBe(404);
    expect((await client.post(`/api/orgs/${own.id}/switch`)).status).toBe(404);
    expect((await client.get('/api/agents')).status).toBe(200);
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${device.user_id}`);
    expect((await client.get('/api/agents')).status).toBe(401);
  });

  test('ends after 180 days, however often it is used', async () => {
    const device = await addDevice(await registerUser(served.url));
    const [listed] = await devicesOf(device.access_token);
    expect(listed).toMatchObject({ expires_at: expect.any(String) });
    const { rows } = await system(
      "select 1 from sessions s join device_tokens d on d.session_id = s.id where d.user_id = $1 and s.expires_at - now() between interval '179 days' and interval '180 days'",
      [device.user_id],
    );
    expect(rows).toHaveLength(1);
    await system('update sessions set expires_at = now() where user_id = $1', [device.user_id]);
    await served.api.database.follow([{ accessOf: [device.user_id] }]);
    expect((await refresh(device.device_token)).status).toBe(401);
    expect(await statusWith(device.access_token)).toBe(401);
  });

  test('ends with the sign-out of its session', async () => {
    const device = await addDevice(await registerUser(served.url));
    expect((await visitor().as(device.access_token).post('/api/auth/logout')).status).toBe(204);
    expect((await refresh(device.device_token)).status).toBe(401);
    expect(await devicesOf(device.api_key)).toEqual([]);
  });
});

describe('GET /api/users/me/devices', () => {
  test('lists the devices of the caller with name, platform and last use', async () => {
    const device = await addDevice(await registerUser(served.url));
    const before = await devicesOf(device.access_token);
    expect(before).toMatchObject([{ name: 'laptop', platform: 'Linux', last_used_at: null, org_id: device.org_id }]);
    await refresh(device.device_token);
    const [after] = await devicesOf(device.access_token);
    expect(after?.last_used_at).toMatch(/Z$/);
  });
});

describe('DELETE /api/users/me/devices/{device_id}', () => {
  test('makes everything worthless that the device was given', async () => {
    const owner = await registerUser(served.url);
    const device = await addDevice(owner);
    const [listed] = await devicesOf(device.access_token);
    const path = `/api/users/me/devices/${listed?.id}`;
    expect((await visitor().as(device.api_key).delete(path)).status).toBe(204);
    await expectDead(device);
  });
});

describe('/api/orgs/{org_id}/members/{user_id}/devices', () => {
  const devicePath = ({ orgId }: TestUser, userId: string) => `/api/orgs/${orgId}/members/${userId}/devices`;

  test('shows them to administrators, who sign them out', async () => {
    const owner = await registerUser(served.url);
    const admin = await join(owner, 'admin');
    const device = await addDevice(owner);
    const path = devicePath(owner, device.user_id);
    const { json } = await admin.client.get<Device[]>(path);
    expect(json).toMatchObject([{ name: 'laptop', platform: 'Linux' }]);
    expect((await admin.client.delete(`${path}/${json[0]?.id}`)).status).toBe(204);
    await expectDead(device);
    expect((await admin.client.delete(`${path}/${json[0]?.id}`)).status).toBe(404);
  });

  test('leaves those of another admin to the owner', async () => {
    const owner = await registerUser(served.url);
    const admin = await join(owner, 'admin');
    const device = await addDevice(owner);
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${device.user_id}`, { role: 'admin' });
    const path = devicePath(owner, device.user_id);
    const [listed] = (await admin.client.get<Device[]>(path)).json;
    expect((await admin.client.delete(`${path}/${listed?.id}`)).status).toBe(403);
    expect((await owner.client.delete(`${path}/${listed?.id}`)).status).toBe(204);
  });
});
