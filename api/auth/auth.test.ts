import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { claimsOf, forgeToken } from '../../test/support/forge-token.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { forgetAttempts } from '../../test/support/forget-attempts.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

const served = serveTestApi();
const visitor = () => new ApiClient(served.url);
const login = async (email: string, password: string) => visitor().post<Tokens>('/api/auth/login', { email, password });
const refresh = async (token: string) => visitor().post<Tokens>('/api/auth/refresh', { refresh_token: token });
const statusWith = async (token: string) => (await visitor().as(token).get('/api/users/me')).status;

describe('POST /api/auth/register', () => {
  test('makes a user who owns an organization of their own and is signed in', async () => {
    const email = `${randomUUID()}@example.com`;
    const body = { email, password: 'correct horse battery', full_name: 'Ada' };
    const answer = await visitor().post<Tokens & { user: unknown }>('/api/auth/register', body);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(answer.json.user).toMatchObject({
      email,
      full_name: 'Ada',
      is_managed: false,
      orgs: [{ name: "Ada's organization", role: 'owner' }],
    });
    expect(await statusWith(answer.json.access_token)).toBe(200);
  });

  test('answers 409 when the address has an account, in other letters and blanks too', async () => {
    const { email, password } = await registerUser(served.url);
    for (const same of [email, email.toUpperCase(), `  ${email} `]) {
      expect((await visitor().post('/api/auth/register', { email: same, password })).status).toBe(409);
    }
  });

  test('makes one account when the same address registers many times at once', async () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => visitor().post('/api/auth/register', body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
  });

  test('answers 404 for an invite that does not exist', async () => {
    const body = { email: 'x@example.com', password: 'correct horse battery', invite_token: 'et_inv_unknown' };
    expect((await visitor().post('/api/auth/register', body)).status).toBe(404);
  });

  test('answers 429 with Retry-After when one address registers too often', async () => {
    await forgetAttempts(served.api.database);
    const { email, password } = await registerUser(served.url);
    const answers = [];
    for (let n = 0; n < 60; n += 1) answers.push(await visitor().post('/api/auth/register', { email, password }));
    await forgetAttempts(served.api.database);
    expect(answers.slice(0, -1).every(({ status }) => status === 409)).toBe(true);
    expect(answers.at(-1)?.status).toBe(429);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('POST /api/auth/login', () => {
  test('answers tokens and the user when the password is right, whatever the letters of the address', async () => {
    const { email, password, id } = await registerUser(served.url);
    const answer = await login(email.toUpperCase(), password);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ user: { id, email } });
    expect(await statusWith(answer.json.access_token)).toBe(200);
  });

  test('answers the same to an unknown address and to a wrong password', async () => {
    const { email } = await registerUser(served.url);
    const wrong = await login(email, 'not the password');
    const unknown = await login(`${randomUUID()}@example.com`, 'not the password');
    expect(wrong.status).toBe(401);
    expect([unknown.status, unknown.json]).toEqual([wrong.status, wrong.json]);
  });

  test('refuses an empty password and any other when the account has none', async () => {
    const { email, id } = await registerUser(served.url);
    await served.api.database.system.query('delete from user_passwords where user_id = $1', [id]);
    expect((await login(email, '')).status).toBe(422);
    expect((await login(email, 'no account has this password')).status).toBe(401);
  });

  test('takes a password whose letters are composed in another way', async () => {
    const email = `${randomUUID()}@example.com`;
    await visitor().post('/api/auth/register', { email, password: 'caf\u00e9 au lait' });
    expect((await login(email, 'cafe\u0301 au lait')).status).toBe(200);
  });

  test('answers 429 with Retry-After after ten wrong passwords, to the right one too', async () => {
    const { email, password } = await registerUser(served.url);
    for (let n = 0; n < 10; n += 1) expect((await login(email, 'wrong')).status).toBe(401);
    const answer = await login(email, password);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    await forgetAttempts(served.api.database);
    expect((await login(email, password)).status).toBe(200);
  });

  test('lets no more than ten wrong passwords through when they come all at once', async () => {
    const { email } = await registerUser(served.url);
    const answers = await Promise.all(Array.from({ length: 25 }, (_item, n) => login(email, `wrong ${n}`)));
    await forgetAttempts(served.api.database);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  test('lets the right password in as often as it comes, also all at once', async () => {
    const { email, password } = await registerUser(served.url);
    const answers = await Promise.all(Array.from({ length: 15 }, () => login(email, password)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('forgets wrong passwords when the right one comes', async () => {
    const { email, password } = await registerUser(served.url);
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 6; n += 1) await login(email, 'wrong');
      expect((await login(email, password)).status).toBe(200);
    }
    await forgetAttempts(served.api.database);
  });

  test('answers 429 when one address guesses at too many accounts', async () => {
    await forgetAttempts(served.api.database);
    const statuses = [];
    for (let n = 0; n < 101; n += 1) statuses.push((await login(`${n}-${randomUUID()}@example.com`, 'wrong')).status);
    await forgetAttempts(served.api.database);
    expect(statuses.slice(0, 100).every((status) => status === 401)).toBe(true);
    expect(statuses[100]).toBe(429);
  });
});

describe('POST /api/auth/refresh', () => {
  test('answers a new pair, of which both work, for a refresh token', async () => {
    const { refreshToken } = await registerUser(served.url);
    const first = await refresh(refreshToken);
    expect(first.status).toBe(200);
    expect(await statusWith(first.json.access_token)).toBe(200);
    expect((await refresh(first.json.refresh_token)).status).toBe(200);
  });

  test.each([
    ['once its pair was used', async (next: string) => (await refresh(next)).json],
    [
      'after half a minute',
      async (next: string, userId: string) => {
        const earlier = "update sessions set refreshed_at = now() - interval '31 seconds' where user_id = $1";
        await served.api.database.system.query(earlier, [userId]);
        return { refresh_token: next };
      },
    ],
  ])('ends the session, its access tokens included, when a token is used again %s', async (_when, change) => {
    const { id, refreshToken, accessToken } = await registerUser(served.url);
    const { json } = await refresh(refreshToken);
    const { refresh_token: newest } = await change(json.refresh_token, id);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect((await refresh(newest)).status).toBe(401);
    expect(await statusWith(accessToken)).toBe(401);
    expect(await statusWith(json.access_token)).toBe(401);
  });

  test('answers the same pair when the same token comes many times at once, or again soon after', async () => {
    const { refreshToken } = await registerUser(served.url);
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)));
    answers.push(await refresh(refreshToken));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ json }) => json.refresh_token + json.access_token)).size).toBe(1);
    expect((await refresh(answers[0]?.json.refresh_token ?? '')).status).toBe(200);
  });

  test('leaves the other sessions of the user alone when one ends', async () => {
    const { email, password, accessToken, refreshToken } = await registerUser(served.url);
    const other = await login(email, password);
    await refresh((await refresh(refreshToken)).json.refresh_token);
    await refresh(refreshToken);
    expect(await statusWith(accessToken)).toBe(401);
    expect(await statusWith(other.json.access_token)).toBe(200);
  });

  test('refuses access tokens, forged and expired ones', async () => {
    const { accessToken, refreshToken } = await registerUser(served.url);
    const claims = claimsOf(refreshToken);
    const header = { typ: 'refresh+jwt' };
    const now = Math.floor(Date.now() / 1000);
    for (const token of [
      accessToken,
      'garbage',
      forgeToken({ header, claims, secret: 'another secret key that is long enough' }),
      forgeToken({ header, claims: { ...claims, exp: now - 1 } }),
      forgeToken({ header, claims: { ...claims, gen: -1 } }),
    ]) {
      expect((await refresh(token)).status).toBe(401);
    }
    expect((await refresh(forgeToken({ header, claims }))).status).toBe(200);
  });
});

describe('POST /api/auth/logout', () => {
  test('ends the session at once, and no other', async () => {
    const { client, email, password, accessToken, refreshToken } = await registerUser(served.url);
    const other = await login(email, password);
    expect((await client.post('/api/auth/logout')).status).toBe(204);
    expect(await statusWith(accessToken)).toBe(401);
    expect((await refresh(refreshToken)).status).toBe(401);
    expect(await statusWith(other.json.access_token)).toBe(200);
  });

  test('answers 400 to an API key, which has no session', async () => {
    const { client } = await registerUser(served.url);
    const { json } = await client.post<{ key: string }>('/api/users/me/api-keys', { name: 'ci' });
    expect((await client.as(json.key).post('/api/auth/logout')).status).toBe(400);
    expect(await statusWith(json.key)).toBe(200);
  });
});

describe('an access token', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const changes: readonly [string, (claims: Record<string, unknown>, user: TestUser) => string][] = [
    [
      'is not signed (none)',
      (claims) =>
        `${forgeToken({ header: { alg: 'none' }, claims })
          .split('.', 2)
          .join('.')}.`,
    ],
    [
      'is not signed (nOnE)',
      (claims) =>
        `${forgeToken({ header: { alg: 'nOnE' }, claims })
          .split('.', 2)
          .join('.')}.`,
    ],
    ['has an empty signature', (claims) => `${forgeToken({ claims }).split('.', 2).join('.')}.`],
    ['is signed with HS512', (claims) => forgeToken({ header: { alg: 'HS512' }, claims, hash: 'sha512' })],
    ['says nothing of its type', (claims) => forgeToken({ header: { typ: undefined }, claims })],
    ['is of another type', (claims) => forgeToken({ header: { typ: 'refresh+jwt' }, claims })],
    ['needs an unknown extension', (claims) => forgeToken({ header: { crit: ['x'], x: 1 }, claims })],
    ['is good only later', (claims) => forgeToken({ claims: { ...claims, nbf: now() + 60 } })],
    ['was made in the future', (claims) => forgeToken({ claims: { ...claims, iat: now() + 60 } })],
    ['never expires', (claims) => forgeToken({ claims: { ...claims, exp: undefined } })],
    ['expires at a text', (claims) => forgeToken({ claims: { ...claims, exp: '9999999999' } })],
    ['expires beyond all numbers', (claims) => forgeToken({ claims: { ...claims, exp: 1e20 } })],
    ['comes from elsewhere', (claims) => forgeToken({ claims: { ...claims, iss: 'elsewhere' } })],
    ['is for others', (claims) => forgeToken({ claims: { ...claims, aud: 'refresh' } })],
    ['names no session', (claims) => forgeToken({ claims: { ...claims, sid: undefined } })],
    ['names an unknown session', (claims) => forgeToken({ claims: { ...claims, sid: randomUUID() } })],
    ['names a session in SQL', (claims) => forgeToken({ claims: { ...claims, sid: "' or 1=1 --" } })],
    [
      'was changed after it was signed',
      (claims, { accessToken }) => {
        const [head, , signature] = accessToken.split('.');
        return `${head}.${Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString('base64url')}.${signature}`;
      },
    ],
    ['has dots that only look like dots', (_claims, { accessToken }) => accessToken.replaceAll('.', '%E2%80%A4')],
    ['has 12 KB', (_claims, { accessToken }) => accessToken + 'x'.repeat(12_000)],
  ];

  test('is good when it is forged with the true key and nothing is changed', async () => {
    const { accessToken } = await registerUser(served.url);
    expect(await statusWith(forgeToken({ claims: claimsOf(accessToken) }))).toBe(200);
  });

  test.each(changes)('is refused when it %s', async (_what, change) => {
    const user = await registerUser(served.url);
    expect(await statusWith(change(claimsOf(user.accessToken), user))).toBe(401);
  });

  test('gives no rights that its claims make up', async () => {
    const user = await registerUser(served.url);
    const stranger = await registerUser(served.url);
    const claims = { ...claimsOf(user.accessToken), org_id: stranger.orgId, role: 'owner', sub: stranger.id };
    const answer = await visitor().as(forgeToken({ claims })).get('/api/users/me');
    expect(answer.json).toMatchObject({ id: user.id, active_org_id: user.orgId });
  });

  test('is worth nothing in an organization that its user was removed from', async () => {
    const user = await registerUser(served.url);
    await served.api.database.system.query('delete from memberships where user_id = $1', [user.id]);
    expect((await user.client.get('/api/agents')).status).toBe(403);
  });
});
