import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import type { ApiClient } from '../support/api-client.ts';
import { createChat, registerUser, type TestUser } from '../support/factories.ts';
import { forgetAttempts } from '../support/forget-attempts.ts';
import { addDevice, join, type TestDevice } from '../support/invitations.ts';
import { registerManaged } from '../support/people.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { Valve } from '../support/valve.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Longer than a process remembers somebody whom nothing tells it to forget. */
const REMEMBERED_MS = 3_100;

const served = serveTestApi();
/** An api with connections and memory of its own, as another process has. */
let elsewhere: TestApi;
let owner: TestUser;
beforeAll(async () => {
  elsewhere = await startTestApi({ databaseUrl: served.api.database.url, temporalAddress: '127.0.0.1:1' });
  owner = await registerUser(served.url);
});
afterAll(async () => elsewhere.close());
beforeEach(async () => forgetAttempts(served.api.database));
afterEach(() => {
  jest.restoreAllMocks();
});

interface Key {
  readonly id: string;
  readonly key: string;
}

const KEYS = '/api/users/me/api-keys';
const GROUPS = '/api/permissions/groups';
const NEW_PASSWORD = 'another horse and battery';
const makeKey = async (client: ApiClient) => (await client.post<Key>(KEYS, { name: 'k' })).json;
const ok = ({ status }: { status: number }) => {
  if (status >= 300) throw new Error(`the change was answered with ${status}`);
};
const signIn = async ({ client, email, password }: TestUser) =>
  (await client.as(undefined).post<{ access_token: string }>('/api/auth/login', { email, password })).json.access_token;
const firstId = async (client: ApiClient, path: string) => (await client.get<{ id: string }[]>(path)).json[0]?.id ?? '';
const byDevice = ({ access_token: token }: TestDevice) => owner.client.as(token);

/** A change that takes rights away. */
interface Taking {
  /** The credentials that lose the right. */
  readonly tokens: readonly string[];
  readonly take: () => Promise<unknown>;
  /** The request that is answered before the change and rejected after it; that for the own account unless given. */
  readonly path?: string;
  /** The status after it; 401 unless given. */
  readonly status?: number;
}

/** Puts a new member, who holds a key, into a group of their own. */
async function makeGrouped() {
  const member = await join(owner);
  const body = { name: `of ${member.id}`, permissions: ['agents.view'] };
  const { json } = await owner.client.post<{ id: string }>(GROUPS, body);
  const setMembers = async (userIds: string[]) =>
    owner.client.send('PUT', `${GROUPS}/${json.id}/members`, { user_ids: userIds });
  return { member, path: `${GROUPS}/${json.id}`, setMembers, key: (await makeKey(member.client)).key };
}

const takings: Readonly<Record<string, () => Promise<Taking>>> = {
  'a key is revoked': async () => {
    const { id, key } = await makeKey(owner.client);
    return { tokens: [key], take: async () => owner.client.delete(`${KEYS}/${id}`) };
  },
  'a key is revoked by an administrator': async () => {
    const member = await join(owner);
    const { id, key } = await makeKey(member.client);
    return { tokens: [key], take: async () => owner.client.delete(`/api/orgs/${owner.orgId}/api-keys/${id}`) };
  },
  'a key gets a new value': async () => {
    const { id, key } = await makeKey(owner.client);
    return { tokens: [key], take: async () => owner.client.post(`${KEYS}/${id}/rotate`) };
  },
  'a sign-in signs itself out': async () => {
    const token = await signIn(owner);
    return { tokens: [token], take: async () => owner.client.as(token).post('/api/auth/logout') };
  },
  'a sign-in is ended from another': async () => {
    const user = await registerUser(served.url);
    const { key } = await makeKey(user.client);
    const other = user.client.as(await signIn(user));
    const id = await firstId(other, '/api/users/me/sessions');
    return { tokens: [user.accessToken, key], take: async () => other.delete(`/api/users/me/sessions/${id}`) };
  },
  'all other sign-ins are ended': async () => {
    const user = await registerUser(served.url);
    const { key } = await makeKey(user.client);
    const other = user.client.as(await signIn(user));
    return { tokens: [user.accessToken, key], take: async () => other.delete('/api/users/me/sessions') };
  },
  'a copied refresh token is used': async () => {
    const user = await registerUser(served.url);
    const { key } = await makeKey(user.client);
    const refresh = async (token: string) =>
      user.client.as(undefined).post<{ refresh_token: string }>('/api/auth/refresh', { refresh_token: token });
    const { json: next } = await refresh(user.refreshToken);
    await refresh(next.refresh_token);
    const take = async () => expect((await refresh(user.refreshToken)).status).toBe(401);
    return { tokens: [user.accessToken, key], take };
  },
  'a password is changed': async () => {
    const user = await registerUser(served.url);
    const tokens = [user.accessToken, await signIn(user), (await makeKey(user.client)).key];
    const body = { password: NEW_PASSWORD, current_password: user.password };
    return { tokens, take: async () => user.client.patch('/api/users/me', body) };
  },
  'a password is set with a link': async () => {
    const user = await registerManaged(served.api, owner, 'member');
    const tokens = [user.accessToken, (await makeKey(user.client)).key];
    const path = `/api/orgs/${owner.orgId}/members/${user.id}/password-link`;
    const { token } = (await owner.client.post<{ token: string }>(path)).json;
    const take = async () => user.client.as(undefined).post('/api/auth/password', { token, password: NEW_PASSWORD });
    return { tokens, take };
  },
  'an account is deleted': async () => {
    const user = await registerUser(served.url);
    const tokens = [user.accessToken, (await makeKey(user.client)).key];
    const body = { current_password: user.password };
    return { tokens, take: async () => user.client.post('/api/users/me/delete', body) };
  },
  'a device is removed by its user': async () => {
    const device = await addDevice(owner);
    const id = await firstId(byDevice(device), '/api/users/me/devices');
    const tokens = [device.access_token, device.api_key, (await makeKey(byDevice(device))).key];
    return { tokens, take: async () => byDevice(device).delete(`/api/users/me/devices/${id}`) };
  },
  'a device is removed by an administrator': async () => {
    const device = await addDevice(owner);
    const path = `/api/orgs/${owner.orgId}/members/${device.user_id}/devices`;
    const id = await firstId(owner.client, path);
    return { tokens: [device.access_token, device.api_key], take: async () => owner.client.delete(`${path}/${id}`) };
  },
  'a device signs itself out': async () => {
    const device = await addDevice(owner);
    const tokens = [device.access_token, (await makeKey(byDevice(device))).key];
    return { tokens, take: async () => byDevice(device).post('/api/auth/logout') };
  },
  'a member is removed': async () => {
    const member = await join(owner);
    const tokens = [(await makeKey(member.client)).key];
    return { tokens, take: async () => owner.client.delete(`/api/orgs/${owner.orgId}/members/${member.id}`) };
  },
  'a member whom a sign-in names the organization for is removed': async () => {
    const { accessToken, id } = await join(owner);
    const path = `/api/orgs/${owner.orgId}`;
    const take = async () => owner.client.delete(`${path}/members/${id}`);
    return { tokens: [accessToken], take, path, status: 404 };
  },
  'a member leaves': async () => {
    const member = await join(owner);
    const tokens = [(await makeKey(member.client)).key];
    return { tokens, take: async () => member.client.post(`/api/orgs/${owner.orgId}/leave`) };
  },
  'the role of a member is lowered': async () => {
    const admin = await join(owner, 'admin');
    const tokens = [admin.accessToken, (await makeKey(admin.client)).key];
    const take = async () => owner.client.patch(`/api/orgs/${owner.orgId}/members/${admin.id}`, { role: 'viewer' });
    return { tokens, take, path: `/api/orgs/${owner.orgId}/api-keys`, status: 403 };
  },
  'a member is put into a group': async () => {
    const { member, setMembers, key } = await makeGrouped();
    return {
      tokens: [member.accessToken, key],
      take: async () => setMembers([member.id]),
      path: GROUPS,
      status: 403,
    };
  },
  'the group of a member allows less': async () => {
    const { member, setMembers, path, key } = await makeGrouped();
    await setMembers([member.id]);
    const take = async () => owner.client.patch(path, { permissions: [] });
    return { tokens: [member.accessToken, key], take, path: '/api/agents', status: 403 };
  },
  'one of two groups of a member is deleted': async () => {
    const [first, second] = [await makeGrouped(), await makeGrouped()];
    await owner.client.patch(second.path, { permissions: ['tools.view'] });
    await first.setMembers([first.member.id]);
    await second.setMembers([first.member.id]);
    const take = async () => owner.client.delete(first.path);
    return { tokens: [first.member.accessToken, first.key], take, path: '/api/agents', status: 403 };
  },
  'an organization is deleted': async () => {
    const founder = await registerUser(served.url);
    const member = await join(founder);
    const tokens = [(await makeKey(founder.client)).key, (await makeKey(member.client)).key];
    return { tokens, take: async () => founder.client.delete(`/api/orgs/${founder.orgId}`) };
  },
};

/** Stops the clock by which callers are remembered, so much later than now. */
function stopClock(laterMs = 0): void {
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + laterMs);
}

describe('a credential that a process has just let in', () => {
  test.each(Object.entries(takings))(
    'is rejected by it at once, and by another process as soon as that hears of it, when %s',
    async (_when, prepare) => {
      const { tokens, take, path = '/api/users/me', status = 401 } = await prepare();
      const here = tokens.map((token) => owner.client.as(token));
      const there = tokens.map((token) => async () => {
        const answer = await fetch(`${elsewhere.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
        return answer.status;
      });
      // It is not forgotten because of its age.
      stopClock();
      for (const client of here) expect((await client.get(path)).status).toBe(200);
      for (const ask of there) expect(await ask()).toBe(200);
      const answer = await take();
      if (answer !== undefined) ok(answer as { status: number });
      for (const client of here) expect((await client.get(path)).status).toBe(status);
      for (const ask of there) {
        const refused = async () => (await ask()) === status || undefined;
        await waitUntil('the other process to reject it', refused);
      }
    },
  );

  test('is rejected from the moment at which it expires', async () => {
    const { id, key } = await makeKey(owner.client);
    const expiresAt = Date.now() + 700;
    await setExpiry(id, expiresAt);
    const client = owner.client.as(key);
    await waitUntil('the key to expire', async () => {
      const sentAt = Date.now();
      const { status } = await client.get('/api/users/me');
      // oxlint-disable-next-line everturn/no-asserted-time -- the product decides by the same clock
      if (sentAt > expiresAt) expect(status).toBe(401);
      return status === 401 || undefined;
    });
    // oxlint-disable-next-line everturn/no-asserted-time -- the product decides by the same clock
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
  });

  test('is rejected a few seconds later when nothing notifies the process of the change', async () => {
    const { id, key } = await makeKey(owner.client);
    const client = owner.client.as(key);
    expect((await client.get('/api/users/me')).status).toBe(200);
    await deleteSilently(id);
    stopClock(REMEMBERED_MS);
    expect((await client.get('/api/users/me')).status).toBe(401);
  });
});

async function setExpiry(keyId: string, expiresAt: number): Promise<void> {
  const change = 'update api_keys set expires_at = to_timestamp($2::float8 / 1000) where id = $1';
  await served.api.database.system.query(change, [keyId, expiresAt]);
}

/** Deletes a key as if the announcement were lost. */
async function deleteSilently(keyId: string): Promise<void> {
  await served.api.database.system.query('delete from api_keys where id = $1', [keyId]);
}

/**
 * Runs `work` and returns the statements that processes within this one sent meanwhile: their names, or their texts.
 */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.map(([statement]) => nameOf(statement));
  } finally {
    query.mockRestore();
  }
}

function nameOf(statement: unknown): string {
  const { name, text } = Object(statement) as { name?: string; text?: string };
  return name ?? text ?? String(statement);
}

const isLookUp = (statement: string) => /principal-of|api_keys|sessions|groups-of/.test(statement);

describe('an everyday request', () => {
  test.each(['session', 'key'])('looks up no credential when its %s was used a moment ago', async (kind) => {
    const client = kind === 'session' ? owner.client : owner.client.as((await makeKey(owner.client)).key);
    // Nobody is forgotten for their age, however long each request takes.
    stopClock();
    const chatId = await createChat(client);
    const statements = await statementsOf(async () => {
      ok(await client.get('/api/agents'));
      ok(await client.get(`/api/chats/${chatId}/messages`));
      await createChat(client);
    });
    expect(statements.some((statement) => statement.includes('agents'))).toBe(true);
    expect(statements.filter(isLookUp)).toEqual([]);
  });
});

describe('a process that cannot hear of changes', () => {
  test('looks up every credential', async () => {
    const valve = await Valve.open(served.api.database.url);
    const deaf = await startTestApi({
      databaseUrl: served.api.database.url,
      listenUrl: valve.url,
      temporalAddress: '127.0.0.1:1',
    });
    try {
      const { id, key } = await makeKey(owner.client);
      const ask = async () => fetch(`${deaf.url}/api/users/me`, { headers: { authorization: `Bearer ${key}` } });
      stopClock();
      await ask();
      expect((await statementsOf(ask)).filter(isLookUp)).toEqual([]);
      jest.restoreAllMocks();
      valve.close();
      await waitUntil('its look-ups', async () => (await statementsOf(ask)).some(isLookUp) || undefined);
      expect((await statementsOf(ask)).filter(isLookUp)).toHaveLength(1);
      await deleteSilently(id);
      expect((await ask()).status).toBe(401);
    } finally {
      valve.close();
      await deaf.close();
    }
  });
});
