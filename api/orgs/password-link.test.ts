import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makePasswordLink } from '../../db/passwords/index.ts';
import { registerColleague, registerManaged } from '../../test/support/people.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { forgetAttempts } from '../../test/support/forget-attempts.ts';
import { addDevice, join, newEmail } from '../../test/support/invitations.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Link {
  readonly token: string;
  readonly password_path: string;
  readonly expires_at: string;
}

const served = serveTestApi();
const PASSWORD = 'a password of their own';
const visitor = () => new ApiClient(served.url);
const system = async (text: string, values: unknown[] = []) => served.api.database.system.query(text, values);
const makeLink = async ({ client, orgId }: Pick<TestUser, 'client' | 'orgId'>, userId: string) =>
  client.post<Link>(`/api/orgs/${orgId}/members/${userId}/password-link`);
const setPassword = async (token: string, password = PASSWORD) =>
  visitor().post('/api/auth/password', { token, password });
const login = async (email: string, password = PASSWORD) =>
  (await visitor().post('/api/auth/login', { email, password })).status;

beforeEach(async () => forgetAttempts(served.api.database));

describe('a link to set a password', () => {
  test('gives an account that had none a password, once, and ends what was open', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    const device = await addDevice(owner, email);
    const { status, json } = await makeLink(owner, device.user_id);
    expect([status, json.password_path]).toEqual([200, `/set-password?token=${json.token}`]);
    expect(Date.parse(json.expires_at)).toBeGreaterThan(Date.now() + 23 * 60 * 60_000);
    expect((await setPassword(json.token)).status).toBe(204);
    expect(await login(email)).toBe(200);
    expect((await visitor().as(device.access_token).get('/api/users/me')).status).toBe(401);
    expect((await setPassword(json.token, 'another password')).status).toBe(404);
    expect(await login(email)).toBe(200);
  });

  test('is used by one of many who come at once', async () => {
    const owner = await registerUser(served.url);
    const managed = await registerManaged(served.api, owner, 'member');
    const { json } = await makeLink(owner, managed.id);
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => setPassword(json.token)))).map((a) => a.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404, 404, 404]);
  });

  test('is worthless when there is a newer one, when it is old, and when the account is managed no longer', async () => {
    const owner = await registerUser(served.url);
    const { id, email } = await registerManaged(served.api, owner, 'member');
    const first = (await makeLink(owner, id)).json.token;
    const second = (await makeLink(owner, id)).json.token;
    expect((await setPassword(first)).status).toBe(404);
    await system('update password_links set expires_at = now() where user_id = $1', [id]);
    expect((await setPassword(second)).status).toBe(404);
    const third = (await makeLink(owner, id)).json.token;
    await owner.client.patch(`/api/orgs/${owner.orgId}/members/${id}`, { role: 'admin' });
    expect((await setPassword(third)).status).toBe(404);
    expect(await login(email)).toBe(401);
  });

  test('is not made for accounts that the organization does not manage, nor by members', async () => {
    const owner = await registerUser(served.url);
    const joined = await join(owner, 'member');
    const managed = await registerManaged(served.api, owner, 'viewer');
    const admin = await registerColleague(served.api, owner, 'admin');
    const stranger = await registerUser(served.url);
    expect((await makeLink(owner, joined.id)).status).toBe(409);
    expect((await makeLink(owner, owner.id)).status).toBe(409);
    expect((await makeLink(owner, stranger.id)).status).toBe(404);
    expect((await makeLink({ ...joined, orgId: owner.orgId }, managed.id)).status).toBe(403);
    expect((await makeLink(admin, managed.id)).status).toBe(200);
  });

  test('is worthless when its maker may make none any more', async () => {
    const owner = await registerUser(served.url);
    const { id } = await registerManaged(served.api, owner, 'member');
    const admin = await registerColleague(served.api, owner, 'admin');
    const path = `/api/orgs/${owner.orgId}/members/${admin.id}`;
    const makeAsAdmin = async () => (await makeLink(admin, id)).json.token;
    const first = await makeAsAdmin();
    expect((await owner.client.patch(path, { role: 'member' })).status).toBe(200);
    expect((await owner.client.patch(path, { role: 'admin' })).status).toBe(200);
    expect((await setPassword(first)).status).toBe(404);
    const second = await makeAsAdmin();
    expect((await owner.client.delete(path)).status).toBe(204);
    expect((await setPassword(second)).status).toBe(404);
    expect((await setPassword((await makeLink(owner, id)).json.token)).status).toBe(204);
  });

  test('is worthless when its user has set a password by themselves, and when they have left', async () => {
    const owner = await registerUser(served.url);
    const { id, email, client, password } = await registerManaged(served.api, owner, 'member');
    const first = (await makeLink(owner, id)).json.token;
    const change = { password: PASSWORD, current_password: password };
    expect((await client.patch('/api/users/me', change)).status).toBe(200);
    expect((await setPassword(first, 'a password of another')).status).toBe(404);
    expect(await login(email)).toBe(200);
    await makeLink(owner, id);
    expect((await owner.client.delete(`/api/orgs/${owner.orgId}/members/${id}`)).status).toBe(204);
    expect((await system('select from password_links where user_id = $1', [id])).rowCount).toBe(0);
  });

  test('is not made by who has just lost the right to it', async () => {
    const owner = await registerUser(served.url);
    const { id } = await registerManaged(served.api, owner, 'member');
    const { id: createdBy } = await registerColleague(served.api, owner, 'member');
    const stored = { publicId: randomUUID(), secretHash: Buffer.from('secret'), lifetimeSeconds: 60 };
    const making = makePasswordLink(served.api.database, { userId: id, orgId: owner.orgId, createdBy, ...stored });
    await expect(making).rejects.toMatchObject({ code: 'conflict' });
  });

  test('cannot be guessed: twenty tries a minute from one address, together with invites', async () => {
    const token = `et_pwd_0123456789abcdef_${'a'.repeat(43)}`;
    const statuses = [];
    for (let n = 0; n < 21; n += 1) statuses.push((await setPassword(n === 0 ? 'x' : token)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 404), 429]);
  });
});
