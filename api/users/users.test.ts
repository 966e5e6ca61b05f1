import { describe, expect, test } from '@jest/globals';
import { withSystemTransaction } from '../../db/core/transactions.ts';
import { setPassword } from '../../db/passwords.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { Passwords } from '../access/passwords.ts';

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
      mail_notifications: false,
      mail_notifications_problem: null,
      slack_notifications: false,
      active_org_id: orgId,
      orgs: [{ id: orgId, name: `${email.split('@')[0]}'s organization`, role: 'owner' }],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });
});

describe('PATCH /api/users/me', () => {
  test('says why no e-mails come, until an administrator of the active organization has added an SMTP server', async () => {
    const { client, email } = await registerUser(served.url);
    const problem = async (body: object) => {
      const { status, json } = await client.patch<{ mail_notifications_problem: unknown }>('/api/users/me', body);
      return [status, json.mail_notifications_problem];
    };
    const words = `${email.split('@')[0]}'s organization cannot e-mail you: none of its administrators has added an SMTP integration.`;
    expect(await problem({ mail_notifications: true })).toEqual([200, words]);
    expect(await problem({ mail_notifications: false })).toEqual([200, null]);
    expect(await problem({ mail_notifications: true })).toEqual([200, words]);
    const mail = { kind: 'smtp', name: 'Mail', base_url: 'smtps://mail.example.com', settings: { from: email } };
    const { status } = await client.post('/api/integrations', mail);
    expect([status, await problem({})]).toEqual([201, [200, null]]);
  });

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

  test('gives no session to a sign-in that has checked the old password', async () => {
    const { id, email, password } = await registerUser(served.url);
    const { database } = served.api;
    const isWaiting = async () => {
      const { rows } = await database.system.query<{ query: string }>(
        "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.find(({ query }) => query.includes('insert into sessions'));
    };
    const overtaken = await withSystemTransaction(database, async (transaction) => {
      await transaction.query('select from user_passwords where user_id = $1 for update', [id]);
      const signIn = login(email, password);
      await waitUntil('the sign-in that waits for the password', isWaiting);
      await setPassword(transaction, id, await new Passwords().hash(NEW_PASSWORD));
      return { signIn };
    });
    expect((await overtaken.signIn).status).toBe(401);
    const open = 'select from sessions where user_id = $1 and revoked_at is null';
    expect((await database.system.query(open, [id])).rowCount).toBe(0);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
  });

  test('ends a session that is opened with the old password in the instant in which it changes', async () => {
    const { id, email, password } = await registerUser(served.url);
    const { database } = served.api;
    const passwordHash = await new Passwords().hash(NEW_PASSWORD);
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, async () => login(email, password))),
      withSystemTransaction(database, async (transaction) => setPassword(transaction, id, passwordHash)),
    ]);
    expect(answers.every(({ status }) => status === 200 || status === 401)).toBe(true);
    const open = 'select from sessions where user_id = $1 and revoked_at is null';
    expect((await database.system.query(open, [id])).rowCount).toBe(0);
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

describe('PUT /api/users/me/email', () => {
  const change = async (client: ApiClient, email: string, current_password: string) =>
    client.send<{ email: string }>('PUT', '/api/users/me/email', { email, current_password });

  test('changes the address that one signs in with, and leaves who is signed in', async () => {
    const { client, email, password } = await registerUser(served.url);
    const address = `new-${email}`;
    const answer = await change(client, address.toUpperCase(), password);
    expect([answer.status, answer.json.email]).toEqual([200, address]);
    expect((await login(email, password)).status).toBe(401);
    expect((await login(address, password)).status).toBe(200);
    expect((await client.get('/api/users/me')).status).toBe(200);
  });

  test('changes nothing when the password is wrong, or another account has the address', async () => {
    const { client, email, password } = await registerUser(served.url);
    const other = await registerUser(served.url);
    expect((await change(client, `new-${email}`, 'wrong')).status).toBe(403);
    expect((await change(client, other.email, password)).status).toBe(409);
    expect((await client.get('/api/users/me')).json).toMatchObject({ email });
  });
});

describe("a user's sign-ins", () => {
  interface Shown {
    readonly id: string;
    readonly is_current: boolean;
    readonly user_agent: string | null;
    readonly ip_address: string | null;
  }
  const list = async (client: ApiClient) => (await client.get<Shown[]>('/api/users/me/sessions')).json;

  test('are listed, and ended one by one', async () => {
    const { client, email, password } = await registerUser(served.url);
    const { json } = await new ApiClient(served.url).post<{ access_token: string }>('/api/auth/login', {
      email,
      password,
    });
    const other = client.as(json.access_token);
    const shown = await list(client);
    expect(shown.map(({ is_current: isCurrent }) => isCurrent)).toEqual([true, false]);
    expect((await list(other)).map(({ is_current: isCurrent }) => isCurrent)).toEqual([false, true]);
    expect((await client.delete(`/api/users/me/sessions/${shown[1]?.id}`)).status).toBe(204);
    expect([(await other.get('/api/users/me')).status, (await client.get('/api/users/me')).status]).toEqual([401, 200]);
    expect(await list(client)).toEqual([shown[0]]);
    expect((await client.delete(`/api/users/me/sessions/${shown[1]?.id}`)).status).toBe(404);
  });

  test('take the keys that were made in them along, unless one ends the sign-in that one uses', async () => {
    const { client, email, password } = await registerUser(served.url);
    const { json } = await login(email, password);
    const other = client.as((json as { access_token: string }).access_token);
    const makeKey = async (maker: ApiClient) => {
      const { json: made } = await maker.post<{ key: string }>('/api/users/me/api-keys', { name: 'ci' });
      return client.as(made.key);
    };
    const [key, keyOfOther] = [await makeKey(client), await makeKey(other)];
    const [first, second] = await list(client);
    expect((await key.delete(`/api/users/me/sessions/${second?.id}`)).status).toBe(204);
    expect([(await keyOfOther.get('/api/users/me')).status, (await key.get('/api/users/me')).status]).toEqual([
      401, 200,
    ]);
    expect((await client.delete(`/api/users/me/sessions/${first?.id}`)).status).toBe(204);
    expect([(await client.get('/api/users/me')).status, (await key.get('/api/users/me')).status]).toEqual([401, 200]);
  });

  const clientsOf = (shown: readonly Shown[]) =>
    shown.map(({ user_agent: userAgent, ip_address: ipAddress }) => [userAgent, ipAddress]);
  const HERE = '127.0.0.1';

  test('say what they were last used with, and from where; older ones do not know', async () => {
    const { client, id, email, password, refreshToken } = await registerUser(served.url);
    const visitor = client.as(undefined);
    await visitor.post('/api/auth/login', { email, password }, { 'user-agent': ` Fire\tfox\u00AD ${'x'.repeat(400)}` });
    expect(clientsOf(await list(client))).toEqual([
      ['node', HERE],
      [`Fire fox ${'x'.repeat(290)}…`, HERE],
    ]);
    const again = { 'user-agent': 'Elsewhere/2' };
    expect((await visitor.post('/api/auth/refresh', { refresh_token: refreshToken }, again)).status).toBe(200);
    expect(clientsOf(await list(client))[0]).toEqual(['Elsewhere/2', HERE]);
    await served.api.database.system.query(
      'update sessions set user_agent = null, ip_address = null where user_id = $1',
      [id],
    );
    expect(clientsOf(await list(client))).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  test('keep nothing of their client once they have ended', async () => {
    const { client, id } = await registerUser(served.url);
    expect((await client.post('/api/auth/logout')).status).toBe(204);
    const { rows } = await served.api.database.system.query(
      'select user_agent, ip_address, revoked_at is not null as ended from sessions where user_id = $1',
      [id],
    );
    expect(rows).toEqual([{ user_agent: null, ip_address: null, ended: true }]);
  });

  test('are all ended at once but the one that is used, with the keys that were made in them', async () => {
    const { client, email, password } = await registerUser(served.url);
    const stranger = await registerUser(served.url);
    const signIn = async () => {
      const { json } = await login(email, password);
      return client.as((json as { access_token: string }).access_token);
    };
    const keyOf = async (maker: ApiClient) =>
      client.as((await maker.post<{ key: string }>('/api/users/me/api-keys', { name: 'ci' })).json.key);
    const [second, third] = [await signIn(), await signIn()];
    const [key, keyOfOther] = [await keyOf(client), await keyOf(second)];
    const [own, ...ended] = await list(client);
    const statuses = async (clients: readonly ApiClient[]) =>
      Promise.all(clients.map(async (each) => (await each.get('/api/users/me')).status));

    expect((await client.delete('/api/users/me/sessions')).status).toBe(204);
    expect(await statuses([second, third, keyOfOther])).toEqual([401, 401, 401]);
    expect(await statuses([client, key, stranger.client])).toEqual([200, 200, 200]);
    expect((await list(client)).map(({ id }) => id)).toEqual([own?.id]);
    const { json: entries } = await client.get<{ related_ids: string[]; session_id: string }[]>(
      '/api/audit?action=sessions.end_others',
    );
    expect(entries).toMatchObject([{ session_id: own?.id, record_type: 'sessions', outcome: 'success' }]);
    expect(entries[0]?.related_ids.toSorted()).toEqual(ended.map(({ id }) => id).toSorted());

    expect((await client.delete('/api/users/me/sessions')).status).toBe(204);
    expect(await statuses([client, key])).toEqual([200, 200]);
  });

  test('are all ended by an API key, which is of none; it ends itself when it was made in one', async () => {
    const { client } = await registerUser(served.url);
    const made = await client.post<{ key: string }>('/api/users/me/api-keys', { name: 'ci' });
    const key = client.as(made.json.key);
    expect((await key.delete('/api/users/me/sessions')).status).toBe(204);
    expect([(await client.get('/api/users/me')).status, (await key.get('/api/users/me')).status]).toEqual([401, 401]);
  });

  test('are of nobody else to end', async () => {
    const [user, stranger] = [await registerUser(served.url), await registerUser(served.url)];
    const [session] = await list(user.client);
    expect((await stranger.client.delete(`/api/users/me/sessions/${session?.id}`)).status).toBe(404);
    expect((await user.client.get('/api/users/me')).status).toBe(200);
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
