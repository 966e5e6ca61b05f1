import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { forgetAttempts } from '../../test/support/forget-attempts.ts';
import { invite, join, newEmail, redeem, type TestInvite } from '../../test/support/invitations.ts';
import { registerManaged } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
const visitor = () => new ApiClient(served.url);
const system = async (text: string, values: unknown[] = []) => served.api.database.system.query(text, values);
const accept = async ({ client }: Pick<TestUser, 'client'>, token: unknown) =>
  client.post('/api/orgs/accept-invite', { token });
const show = async (token: string) => visitor().get(`/api/orgs/invite/${token}`);
const expire = async ({ id }: TestInvite) =>
  system("update invites set expires_at = now() - interval '1 second' where id = $1", [id]);
const membersOf = async ({ orgId }: TestUser) =>
  (await system('select user_id from memberships where org_id = $1', [orgId])).rows.length;

beforeEach(async () => forgetAttempts(served.api.database));

describe('POST /api/orgs/{org_id}/invites', () => {
  test('answers a token that lasts a week, with lines for a shell only when it is for one address', async () => {
    const owner = await registerUser(served.url);
    const open = await invite(owner);
    expect(open).toMatchObject({ role: 'member', email: null, invite_path: `/join?token=${open.token}` });
    expect(open).not.toHaveProperty('cli_install_sh');
    expect(open).not.toHaveProperty('cli_install_ps');
    expect(Math.abs(Date.parse(open.expires_at) - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
    const bound = await invite(owner, { email: ' Ada@Example.COM ', full_name: 'Ada' });
    expect(bound).toMatchObject({ email: 'ada@example.com', full_name: 'Ada' });
    for (const line of [bound.cli_install_sh, bound.cli_install_ps]) {
      expect(line).toContain(bound.token);
      expect(line).toContain('https://everturn.example.com/api/auth/cli/redeem');
    }
  });

  test('takes the address of the instance from the settings, whatever the request says', async () => {
    const owner = await registerUser(served.url);
    const headers = { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' };
    const body = { role: 'member', email: newEmail() };
    const answer = await owner.client.post(`/api/orgs/${owner.orgId}/invites`, body, headers);
    expect(JSON.stringify(answer.json)).not.toContain('evil');
  });

  test('leaves the role admin to the owner, and the role owner to nobody', async () => {
    const owner = await registerUser(served.url);
    const admin = await join(owner, 'admin');
    const ask = async (user: TestUser, role: string) =>
      (await user.client.post(`/api/orgs/${owner.orgId}/invites`, { role })).status;
    expect([await ask(owner, 'admin'), await ask(admin, 'admin')]).toEqual([201, 403]);
    expect([await ask(owner, 'owner'), await ask(admin, 'owner')]).toEqual([422, 422]);
    expect([await ask(admin, 'member'), await ask(admin, 'viewer')]).toEqual([201, 201]);
  });

  test('answers 409 for the address of a member, in other letters too', async () => {
    const owner = await registerUser(served.url);
    const body = { role: 'member', email: owner.email.toUpperCase() };
    expect((await owner.client.post(`/api/orgs/${owner.orgId}/invites`, body)).status).toBe(409);
  });

  test.each([
    { email: 'ada@ex\u00e4mple.com' },
    { email: '\u212Aada@example.com' },
    { email: 'ad\u0430@example.com' },
    { email: 'a\nb@example.com' },
    { email: 'a b@example.com' },
    { email: newEmail(), full_name: 'Ada\u0007' },
    { full_name: 'Ada' },
  ])('answers 422 to %j', async (fields) => {
    const owner = await registerUser(served.url);
    const answer = await owner.client.post(`/api/orgs/${owner.orgId}/invites`, { role: 'member', ...fields });
    expect(answer.status).toBe(422);
  });

  test('stores no token', async () => {
    const { token } = await invite(await registerUser(served.url));
    const { rows } = await system("select t::text || encode(secret_hash, 'escape') as row from invites t");
    expect(JSON.stringify(rows)).not.toContain(token.slice(-43));
  });
});

describe('GET /api/orgs/{org_id}/invites', () => {
  test('lists the invites that can still be used, newest first, without their tokens', async () => {
    const owner = await registerUser(served.url);
    const [first, used, expired, second] = [
      await invite(owner),
      await invite(owner),
      await invite(owner),
      await invite(owner, { email: newEmail() }),
    ];
    await accept(await registerUser(served.url), used.token);
    await expire(expired);
    const answer = await owner.client.get<TestInvite[]>(`/api/orgs/${owner.orgId}/invites`);
    expect(answer.json.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(JSON.stringify(answer.json)).not.toContain('et_inv_');
  });
});

describe('DELETE /api/orgs/{org_id}/invites/{invite_id}', () => {
  test('makes the token worthless, once', async () => {
    const owner = await registerUser(served.url);
    const { id, token } = await invite(owner);
    const revoke = async () => (await owner.client.delete(`/api/orgs/${owner.orgId}/invites/${id}`)).status;
    expect([await revoke(), await revoke()]).toEqual([204, 404]);
    expect((await accept(await registerUser(served.url), token)).status).toBe(404);
  });

  test('leaves the invites of admins to the owner', async () => {
    const owner = await registerUser(served.url);
    const admin = await join(owner, 'admin');
    const { id } = await invite(owner, { role: 'admin' });
    const path = `/api/orgs/${owner.orgId}/invites/${id}`;
    expect((await admin.client.delete(path)).status).toBe(403);
    expect((await owner.client.delete(path)).status).toBe(204);
  });
});

describe('GET /api/orgs/invite/{token}', () => {
  test('shows the name of the organization and the role, and no more', async () => {
    const owner = await registerUser(served.url);
    await owner.client.patch(`/api/orgs/${owner.orgId}`, { name: 'Lab' });
    const { token } = await invite(owner, { email: newEmail(), full_name: 'Ada' });
    expect((await show(token)).json).toEqual({ org_name: 'Lab', role: 'member' });
  });

  test('answers every text that is no good token the same', async () => {
    const owner = await registerUser(served.url);
    const [used, expired, revoked] = [await invite(owner), await invite(owner), await invite(owner)];
    await accept(await registerUser(served.url), used.token);
    await expire(expired);
    await owner.client.delete(`/api/orgs/${owner.orgId}/invites/${revoked.id}`);
    const { token } = await invite(owner);
    const { json: key } = await owner.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'k' });
    const texts = [
      used.token,
      expired.token,
      revoked.token,
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      token.toUpperCase(),
      `${token}x`,
      key.key,
      owner.accessToken,
      `et_inv_${'0'.repeat(16)}_${'A'.repeat(43)}`,
      "'%20or%201=1--",
      'null',
      '%00',
      'x'.repeat(2000),
    ];
    for (const text of texts) {
      for (const path of ['/api/orgs/invite', '/api/auth/cli/invite']) {
        await forgetAttempts(served.api.database);
        const answer = await visitor().get(`${path}/${text}`);
        expect([text, answer.status, answer.json]).toEqual([text, 404, { detail: 'Invite not found' }]);
      }
      const redeemed = text.length > 200 || text === '%00' ? undefined : await redeem(visitor(), text);
      expect([404, undefined]).toContain(redeemed?.status);
    }
    expect((await show(token)).status).toBe(200);
  });

  test('answers 429 with Retry-After after twenty texts from one address, at every endpoint', async () => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner, { email: newEmail() });
    for (let n = 0; n < 20; n += 1) expect((await show(`et_inv_${n}`)).status).toBe(404);
    const answers = [
      await show(token),
      await visitor().get(`/api/auth/cli/invite/${token}`),
      await redeem(visitor(), token),
      await accept(owner, token),
      await visitor().post('/api/auth/register', { email: newEmail(), password: 'a password', invite_token: token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
    for (const { headers } of answers) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('POST /api/orgs/accept-invite', () => {
  test('makes the caller a member with the role of the invite, and keeps their active organization', async () => {
    const owner = await registerUser(served.url);
    const user = await registerUser(served.url);
    const answer = await accept(user, (await invite(owner, { role: 'viewer' })).token);
    expect([answer.status, answer.json]).toMatchObject([200, { id: owner.orgId, role: 'viewer' }]);
    expect((await user.client.get('/api/users/me')).json).toMatchObject({
      active_org_id: user.orgId,
      is_managed: false,
    });
  });

  test('lets one in when many users come with one token at once', async () => {
    const owner = await registerUser(served.url);
    const users = await Promise.all(Array.from({ length: 10 }, () => registerUser(served.url)));
    const { token } = await invite(owner);
    const answers = await Promise.all(users.map(async (user) => accept(user, token)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 404),
    ]);
    expect(await membersOf(owner)).toBe(2);
  });

  test('refuses a member, and leaves the invite for somebody else', async () => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner);
    expect((await accept(owner, token)).status).toBe(409);
    expect((await accept(await registerUser(served.url), token)).status).toBe(200);
  });

  test('refuses everybody but the one it is for, who is known in any letters', async () => {
    const owner = await registerUser(served.url);
    const ada = await registerUser(served.url);
    const { token } = await invite(owner, { email: ada.email.toUpperCase() });
    expect((await accept(await registerUser(served.url), token)).status).toBe(403);
    expect((await accept(ada, token)).status).toBe(200);
  });

  test.each([null, '', [], {}, 0, true, '   ', undefined])('answers 422 or 404 to the token %j', async (token) => {
    const user = await registerUser(served.url);
    expect([404, 422]).toContain((await accept(user, token)).status);
    expect([404, 422]).toContain(
      (await visitor().post('/api/auth/cli/redeem', { token, device_name: 'a', platform: 'b' })).status,
    );
  });
});

describe('POST /api/auth/register with an invite', () => {
  const register = async (token: string, email = newEmail(), fields: Record<string, unknown> = {}) =>
    visitor().post<{ user: { id: string } }>('/api/auth/register', {
      email,
      password: 'correct horse battery',
      invite_token: token,
      ...fields,
    });

  test('makes an account that the organization manages, without one of its own', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    const { token } = await invite(owner, { email, full_name: 'Ada', role: 'viewer' });
    const answer = await register(token, email.toUpperCase());
    expect([answer.status, answer.json.user]).toMatchObject([
      201,
      {
        email,
        full_name: 'Ada',
        is_managed: true,
        active_org_id: owner.orgId,
        orgs: [{ id: owner.orgId, role: 'viewer' }],
      },
    ]);
    expect((await visitor().post('/api/auth/login', { email, password: 'correct horse battery' })).status).toBe(200);
  });

  test('makes one account when ten people come with one token at once', async () => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner);
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(token)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 404),
    ]);
    expect(await membersOf(owner)).toBe(2);
  });

  test('refuses an address that has an account, or is not the one meant, and the invite stays good', async () => {
    const owner = await registerUser(served.url);
    const stranger = await registerUser(served.url);
    const open = await invite(owner);
    expect((await register(open.token, stranger.email)).status).toBe(409);
    const email = newEmail();
    const bound = await invite(owner, { email });
    expect((await register(bound.token)).status).toBe(403);
    const answers = [await register(open.token), await register(bound.token, email)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });

  test('takes no role from the request', async () => {
    const owner = await registerUser(served.url);
    const { token } = await invite(owner, { role: 'viewer' });
    expect((await register(token, newEmail(), { role: 'owner' })).status).toBe(422);
    expect((await register(token, newEmail(), { is_managed: false })).status).toBe(422);
  });
});

describe('a managed account', () => {
  test('belongs to nobody else, even if others invite it', async () => {
    const owner = await registerUser(served.url);
    const managed = await registerManaged(served.api, owner, 'member');
    const other = await registerUser(served.url);
    const { token } = await invite(other, { email: managed.email });
    expect((await accept(managed, token)).status).toBe(403);
    expect((await redeem(visitor(), token)).status).toBe(409);
    expect((await show(token)).status).toBe(200);
  });

  test('that nobody can sign in to any more keeps what it made, whoever gets its address', async () => {
    const owner = await registerUser(served.url);
    const email = newEmail();
    const answer = await redeem(visitor(), (await invite(owner, { email, full_name: 'Ada' })).token);
    const { user_id: formerId } = answer.json;
    await owner.client.delete(`/api/orgs/${owner.orgId}/members/${formerId}`);
    await registerUser(served.url, { email: `${formerId}@removed.invalid` });
    const other = await registerUser(served.url);
    const [byDevice, inBrowser] = [await invite(other, { email }), await invite(other)];
    const redeemed = await redeem(visitor(), byDevice.token);
    expect(redeemed.json).toMatchObject({ org_id: other.orgId, created_account: true });
    const shown = await visitor().as(redeemed.json.api_key).get('/api/users/me');
    expect(shown.json).toMatchObject({ email, full_name: '' });
    await other.client.delete(`/api/orgs/${other.orgId}/members/${redeemed.json.user_id}`);
    const registration = { email, password: 'a good password', invite_token: inBrowser.token };
    const registered = await visitor().post<{ user: { id: string } }>('/api/auth/register', registration);
    expect(registered.status).toBe(201);
    expect(new Set([formerId, redeemed.json.user_id, registered.json.user.id]).size).toBe(3);
  });
});
