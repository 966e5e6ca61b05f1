import { describe, expect, test } from '@jest/globals';
import { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { addDevice, join, type TestDevice } from '../../test/support/invitations.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { SocketClient } from '../../test/support/socket-client.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly hint: string;
  readonly made_by: string;
  readonly expires_at: string | null;
}

interface MemberKey extends Omit<Key, 'key'> {
  readonly user_id: string;
  readonly email: string;
}

interface SignIn {
  readonly access_token: string;
  readonly refresh_token: string;
}

const served = serveTestApi();
const PATH = '/api/users/me/api-keys';
const client = (token: string) => new ApiClient(served.url, token);
const system = async (text: string, values: unknown[] = []) => served.api.database.system.query(text, values);
const make = async (token: string, name = 'ci') => (await client(token).post<Key>(PATH, { name })).json;
const rotate = async (token: string, { id }: Pick<Key, 'id'>) => client(token).post<Key>(`${PATH}/${id}/rotate`);
const statusWith = async (token: string) => (await client(token).get('/api/users/me')).status;
const refresh = async (token: string) =>
  client('').as(undefined).post<SignIn>('/api/auth/refresh', { refresh_token: token });
const NEW_PASSWORD = 'another horse and battery';
const changePassword = async (user: TestUser) =>
  user.client.patch('/api/users/me', { password: NEW_PASSWORD, current_password: user.password });

async function deviceIdOf(device: TestDevice): Promise<string> {
  const { json } = await client(device.api_key).get<{ id: string }[]>('/api/users/me/devices');
  return json[0]?.id ?? '';
}

describe('a key that was made in a sign-in', () => {
  test('says so, and how it ends', async () => {
    const { accessToken, orgId } = await registerUser(served.url);
    const key = await make(accessToken);
    expect(key).toMatchObject({ made_by: 'sign_in', org_id: orgId, hint: key.key.slice(-4), expires_at: null });
    const { key: _value, ...record } = key;
    expect((await client(accessToken).get(PATH)).json).toEqual([record]);
  });

  test('outlives its being signed out, and its expiry', async () => {
    const signedOut = await registerUser(served.url);
    const expired = await registerUser(served.url);
    const keys = [await make(signedOut.accessToken), await make(expired.accessToken)];
    await signedOut.client.post('/api/auth/logout');
    await system('update sessions set expires_at = now() where user_id = $1', [expired.id]);
    // An old token that arrives late proves nothing.
    expect((await refresh(signedOut.refreshToken)).status).toBe(401);
    for (const { key } of keys) expect(await statusWith(key)).toBe(200);
  });

  test('ends when a refresh token of the sign-in comes after its successor was used, and those of others do not', async () => {
    const user = await registerUser(served.url);
    const other = await client('').as(undefined).post<SignIn>('/api/auth/login', {
      email: user.email,
      password: user.password,
    });
    const [mine, others] = [await make(user.accessToken), await make(other.json.access_token)];
    await refresh((await refresh(user.refreshToken)).json.refresh_token);
    expect((await refresh(user.refreshToken)).status).toBe(401);
    expect([await statusWith(mine.key), await statusWith(others.key)]).toEqual([401, 200]);
  });

  test('ends with a new password, also when the sign-in was signed out before', async () => {
    const user = await registerUser(served.url);
    const former = await client('').as(undefined).post<SignIn>('/api/auth/login', {
      email: user.email,
      password: user.password,
    });
    const keys = [await make(user.accessToken), await make(former.json.access_token)];
    await client(former.json.access_token).post('/api/auth/logout');
    expect((await user.client.patch('/api/users/me', { full_name: 'Ada' })).status).toBe(200);
    for (const { key } of keys) expect(await statusWith(key)).toBe(200);
    expect((await changePassword(user)).status).toBe(200);
    for (const { key } of keys) expect(await statusWith(key)).toBe(401);
  });
});

describe('a key that was made with a device', () => {
  const ends: readonly [string, (people: { owner: TestUser; device: TestDevice }) => Promise<unknown>][] = [
    [
      'its user signs the device out',
      async ({ device }) => client(device.access_token).delete(`/api/users/me/devices/${await deviceIdOf(device)}`),
    ],
    [
      'an administrator signs the device out',
      async ({ owner, device }) =>
        owner.client.delete(`/api/orgs/${owner.orgId}/members/${device.user_id}/devices/${await deviceIdOf(device)}`),
    ],
    ['the device signs itself out', async ({ device }) => client(device.access_token).post('/api/auth/logout')],
    [
      'its user is removed',
      async ({ owner, device }) => owner.client.delete(`/api/orgs/${owner.orgId}/members/${device.user_id}`),
    ],
  ];

  test.each(ends)('ends when %s', async (_how, end) => {
    const owner = await registerUser(served.url);
    const device = await addDevice(owner);
    const key = await make(device.access_token);
    const refreshed = await make((await refresh(device.device_token)).json.access_token);
    const rotated = (await rotate(key.key, key)).json;
    expect([await statusWith(rotated.key), await statusWith(refreshed.key)]).toEqual([200, 200]);
    await end({ owner, device });
    expect([await statusWith(rotated.key), await statusWith(refreshed.key)]).toEqual([401, 401]);
  });

  test('says when it ends, which is when the device does, and is listed no longer then', async () => {
    const device = await addDevice(await registerUser(served.url));
    const { json: devices } = await client(device.api_key).get<{ expires_at: string }[]>('/api/users/me/devices');
    const key = await make(device.access_token);
    expect(key).toMatchObject({ made_by: 'device', expires_at: devices[0]?.expires_at });
    await system('update api_keys set expires_at = now() where id = $1', [key.id]);
    expect(await statusWith(key.key)).toBe(401);
    expect((await rotate(device.access_token, key)).status).toBe(404);
    const { json: listed } = await client(device.api_key).get<Key[]>(PATH);
    expect(listed).toMatchObject([{ name: 'laptop', made_by: 'device', expires_at: null }]);
  });

  test('does not slip through when it is made in the instant in which the device is signed out', async () => {
    const owner = await registerUser(served.url);
    for (let round = 0; round < 10; round += 1) {
      const device = await addDevice(owner);
      const path = `/api/orgs/${owner.orgId}/members/${device.user_id}/devices/${await deviceIdOf(device)}`;
      const [made] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, async (_item, n) => make(device.access_token, `late ${n}`))),
        owner.client.delete(path),
      ]);
      for (const { key } of made) if (key !== undefined) expect(await statusWith(key)).toBe(401);
    }
  });
});

describe('an API key', () => {
  test('rotates itself and the keys that it has created, and no others', async () => {
    const { accessToken } = await registerUser(served.url);
    const [key, other] = [await make(accessToken), await make(accessToken)];
    const child = await make(key.key);
    for (const { status, json } of [await rotate(key.key, other), await rotate(child.key, key)])
      expect([status, json]).toEqual([403, { detail: expect.stringMatching(/^An API key .* sign in/) }]);
    const rotated = (await rotate(key.key, child)).json;
    expect(rotated).toMatchObject({ id: child.id, made_by: 'key' });
    const tokens = [other.key, child.key, rotated.key];
    expect(await Promise.all(tokens.map(statusWith))).toEqual([200, 401, 200]);
    expect((await rotate(key.key, key)).status).toBe(200);
  });

  const endsOfParent: [string, (user: TestUser, parent: Key) => Promise<unknown>][] = [
    ['is revoked', async ({ client: own }, { id }) => own.delete(`${PATH}/${id}`)],
    ['is rotated', async ({ accessToken }, parent) => rotate(accessToken, parent)],
    ['rotates itself', async (_user, parent) => rotate(parent.key, parent)],
    ['ends with a new password', changePassword],
  ];

  test.each(endsOfParent)('loses the keys that it has created, and theirs, when it %s', async (_how, end) => {
    const user = await registerUser(served.url);
    const parent = await make(user.accessToken);
    const child = await make(parent.key);
    const grandchild = await make(child.key);
    expect(grandchild).toMatchObject({ made_by: 'key', org_id: user.orgId, expires_at: null });
    await end(user, parent);
    expect([await statusWith(child.key), await statusWith(grandchild.key)]).toEqual([401, 401]);
  });

  test('creates keys that end no later than it does itself', async () => {
    const device = await addDevice(await registerUser(served.url));
    const key = await make(device.access_token);
    expect(await make(key.key)).toMatchObject({ made_by: 'key', expires_at: key.expires_at });
    const durable = await make(device.api_key);
    expect(durable).toMatchObject({ made_by: 'key', expires_at: null });
    await client(device.api_key).delete(`/api/users/me/devices/${await deviceIdOf(device)}`);
    expect(await statusWith(durable.key)).toBe(401);
  });

  test('keeps no key that it creates in the instant in which it is rotated', async () => {
    const user = await registerUser(served.url);
    for (let round = 0; round < 5; round += 1) {
      const parent = await make(user.accessToken);
      const [made] = await Promise.all([
        Promise.all(Array.from({ length: 4 }, async (_item, n) => make(parent.key, `late ${n}`))),
        rotate(user.accessToken, parent),
      ]);
      for (const { key } of made) if (key !== undefined) expect(await statusWith(key)).toBe(401);
    }
  });

  test('belongs to whoever rotated it last: the device that did takes it along', async () => {
    const owner = await registerUser(served.url);
    const device = await addDevice(owner);
    const own = (await client(device.api_key).get<Key[]>(PATH)).json[0];
    const durable = (await rotate(device.api_key, { id: own?.id ?? '' })).json;
    expect(durable).toMatchObject({ made_by: 'device', expires_at: null });
    const bound = (await rotate(device.access_token, durable)).json;
    expect(bound.expires_at).not.toBeNull();
    await client(device.access_token).post('/api/auth/logout');
    expect(await statusWith(bound.key)).toBe(401);
  });

  test('that is older than all this has an origin that nobody knows', async () => {
    const user = await registerUser(served.url);
    const key = await make(user.accessToken);
    await system('update api_keys set hint = null, made_by = null, session_id = null where id = $1', [key.id]);
    expect((await user.client.get(PATH)).json).toMatchObject([{ id: key.id, hint: null, made_by: 'unknown' }]);
    expect((await changePassword(user)).status).toBe(200);
    expect(await statusWith(key.key)).toBe(200);
  });
});

describe('/api/orgs/{org_id}/api-keys', () => {
  const pathOf = ({ orgId }: TestUser) => `/api/orgs/${orgId}/api-keys`;

  test('shows administrators the keys of all members for this organization, a page at a time', async () => {
    const owner = await registerUser(served.url);
    const [admin, member] = [await join(owner, 'admin'), await join(owner)];
    const stranger = await registerUser(served.url);
    const keys = [await make(member.accessToken, 'one'), await make(owner.accessToken, 'two')];
    await make(stranger.accessToken);
    const { json } = await admin.client.get<MemberKey[]>(pathOf(owner));
    expect(json).toMatchObject([
      { id: keys[0]?.id, user_id: member.id, email: member.email, hint: keys[0]?.key.slice(-4), made_by: 'sign_in' },
      { id: keys[1]?.id, user_id: owner.id, last_used_at: null },
    ]);
    expect(JSON.stringify(json)).not.toContain('et_key_');
    const page = await admin.client.get<MemberKey[]>(`${pathOf(owner)}?limit=1&offset=1`);
    expect([page.json.map(({ name }) => name), page.headers.get('x-total-count')]).toEqual([['two'], '2']);
    expect((await member.client.get(pathOf(owner))).status).toBe(403);
  });

  test('lets administrators revoke those of members, and closes what was open with them', async () => {
    const owner = await registerUser(served.url);
    const [admin, member] = [await join(owner, 'admin'), await join(owner)];
    const key = await make(member.accessToken);
    const chatId = await createChat(member.client, await createAgent(member.client));
    const socket = await SocketClient.connect(served.url, chatId, key.key);
    expect((await admin.client.delete(`${pathOf(owner)}/${key.id}`)).status).toBe(204);
    expect(await statusWith(key.key)).toBe(401);
    expect(await waitUntil('the socket to be closed', () => socket.closeCode)).toBe(4401);
    expect((await admin.client.delete(`${pathOf(owner)}/${key.id}`)).status).toBe(404);
    const { json: entries } = await owner.client.get<{ actor_id: string; related_ids: string[] }[]>(
      `/api/audit?action=api_keys.delete&record_id=${key.id}&outcome=success`,
    );
    expect(entries).toMatchObject([{ actor_id: admin.id, related_ids: expect.arrayContaining([member.id]) }]);
  });

  test('leaves those of another admin and of the owner to the owner', async () => {
    const owner = await registerUser(served.url);
    const [admin, other] = [await join(owner, 'admin'), await join(owner, 'admin')];
    const [ofOther, ofOwner, own] = [
      await make(other.accessToken),
      await make(owner.accessToken),
      await make(admin.accessToken),
    ];
    for (const { id } of [ofOther, ofOwner])
      expect((await admin.client.delete(`${pathOf(owner)}/${id}`)).status).toBe(403);
    expect((await admin.client.delete(`${pathOf(owner)}/${own.id}`)).status).toBe(204);
    expect((await owner.client.delete(`${pathOf(owner)}/${ofOther.id}`)).status).toBe(204);
    expect(await statusWith(ofOwner.key)).toBe(200);
  });
});
