import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makePasswordLink } from '../../db/passwords.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { forgetAttempts } from '../../test/support/forget-attempts.ts';
import { addDevice, invite, join, newEmail } from '../../test/support/invitations.ts';
import { registerColleague, registerManaged } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

describe('members', () => {
  interface Member {
    readonly user_id: string;
    readonly role: string;
  }

  const served = serveTestApi();
  // All of these register from one address.
  beforeEach(async () => forgetAttempts(served.api.database));
  const members = async ({ client, orgId }: TestUser) =>
    (await client.get<Member[]>(`/api/orgs/${orgId}/members`)).json;
  const roleOf = async (host: TestUser, { id }: TestUser) =>
    (await members(host)).find(({ user_id }) => user_id === id)?.role;
  const setRole = async (actor: TestUser, { id }: Pick<TestUser, 'id'>, role: string) =>
    actor.client.patch<Member>(`/api/orgs/${actor.orgId}/members/${id}`, { role });
  const remove = async (actor: TestUser, { id }: Pick<TestUser, 'id'>) =>
    actor.client.delete(`/api/orgs/${actor.orgId}/members/${id}`);
  const leave = async (user: TestUser) => user.client.post<object>(`/api/orgs/${user.orgId}/leave`);

  /** Locks all memberships of the organization until the returned function is called. */
  async function lockMemberships({ orgId }: TestUser): Promise<() => Promise<void>> {
    const holder = await served.api.database.system.connect();
    await holder.query('begin');
    await holder.query('select from memberships where org_id = $1 for update', [orgId]);
    return async () => {
      await holder.query('commit');
      holder.release();
    };
  }

  /** Returns how many connections wait for a lock. */
  async function waitingCount(): Promise<number | undefined> {
    const { rows } = await served.api.database.system.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.count;
  }

  describe('GET /api/orgs/{org_id}/members', () => {
    test('lists the members in the order in which they joined', async () => {
      const owner = await registerUser(served.url);
      const viewer = await join(owner, 'viewer');
      const managed = await registerManaged(served.api, owner, 'member');
      const answer = await viewer.client.get(`/api/orgs/${owner.orgId}/members`);
      expect(answer.json).toMatchObject([
        { user_id: owner.id, email: owner.email, full_name: '', role: 'owner', is_managed: false },
        { user_id: viewer.id, role: 'viewer', is_managed: false, joined_at: expect.stringMatching(/Z$/) },
        { user_id: managed.id, role: 'member', is_managed: true },
      ]);
      const page = await viewer.client.get<Member[]>(`/api/orgs/${owner.orgId}/members?limit=1&offset=1`);
      expect([page.json.map(({ user_id }) => user_id), page.headers.get('x-total-count')]).toEqual([[viewer.id], '3']);
    });
  });

  describe('PATCH /api/orgs/{org_id}/members/{user_id}', () => {
    test('changes what the member may do from the next request on', async () => {
      const owner = await registerUser(served.url);
      const member = await join(owner);
      expect((await member.client.post('/api/agents', { name: 'a' })).status).toBe(201);
      expect((await setRole(owner, member, 'viewer')).json).toMatchObject({ user_id: member.id, role: 'viewer' });
      expect((await member.client.post('/api/agents', { name: 'a' })).status).toBe(403);
    });

    test('hands the organization over when the owner makes somebody the owner', async () => {
      const owner = await registerUser(served.url);
      const member = await join(owner);
      expect((await setRole(owner, member, 'owner')).json).toMatchObject({ role: 'owner' });
      expect([await roleOf(owner, owner), await roleOf(owner, member)]).toEqual(['admin', 'owner']);
      expect((await setRole(owner, member, 'member')).status).toBe(403);
      expect((await member.client.delete(`/api/orgs/${owner.orgId}`)).status).toBe(204);
    });

    test('leaves one owner, and answers 409 to the loser, when two transfers come at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const owner = await registerUser(served.url);
        const [first, second] = [await join(owner), await join(owner, 'admin')];
        const letGo = await lockMemberships(owner);
        const transfers = Promise.all([setRole(owner, first, 'owner'), setRole(owner, second, 'owner')]);
        await waitUntil('both to have been let in as the owner', async () => (await waitingCount()) === 2 || undefined);
        await letGo();
        const answers = await transfers;
        expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
        expect((await members(owner)).filter(({ role }) => role === 'owner')).toHaveLength(1);
        expect(await roleOf(owner, owner)).toBe('admin');
      }
    });

    test('keeps an owner when the one who is to be it is removed in the same instant', async () => {
      for (let round = 0; round < 5; round += 1) {
        const owner = await registerUser(served.url);
        const heir = await join(owner);
        await Promise.all([setRole(owner, heir, 'owner'), remove(owner, heir)]);
        const { rows } = await served.api.database.system.query(
          "select 1 from memberships where org_id = $1 and role = 'owner'",
          [owner.orgId],
        );
        expect(rows).toHaveLength(1);
      }
    });

    test('answers 409 when the owner would step down without an heir', async () => {
      const owner = await registerUser(served.url);
      expect((await setRole(owner, owner, 'admin')).status).toBe(409);
      expect((await setRole(owner, owner, 'owner')).status).toBe(200);
    });

    test('leaves admins to the owner', async () => {
      const owner = await registerUser(served.url);
      const [admin, other, member] = [await join(owner, 'admin'), await join(owner, 'admin'), await join(owner)];
      expect((await setRole(admin, member, 'admin')).status).toBe(403);
      expect((await setRole(admin, other, 'member')).status).toBe(403);
      expect((await setRole(admin, owner, 'member')).status).toBe(403);
      expect((await setRole(admin, member, 'owner')).status).toBe(403);
      expect((await setRole(admin, member, 'viewer')).status).toBe(200);
      expect((await setRole(admin, admin, 'member')).status).toBe(200);
    });

    test('answers 404 for a user who is no member, known or not', async () => {
      const owner = await registerUser(served.url);
      const stranger = await registerUser(served.url);
      const answer = await setRole(owner, stranger, 'viewer');
      expect([answer.status, answer.json]).toEqual([404, { detail: 'Member not found' }]);
    });

    test('takes open invites back that the member could not make any more', async () => {
      const owner = await registerUser(served.url);
      const admin = await join(owner, 'admin');
      const [ofOwner, ofAdmin] = [await invite(owner, { role: 'admin' }), await invite(admin)];
      const plain = await invite(owner);
      await setRole(owner, admin, 'owner');
      const shown = async ({ token }: { token: string }) =>
        (await owner.client.get(`/api/orgs/invite/${token}`)).status;
      expect([await shown(ofOwner), await shown(plain), await shown(ofAdmin)]).toEqual([404, 200, 200]);
      await setRole(admin, owner, 'member');
      expect([await shown(plain), await shown(ofAdmin)]).toEqual([404, 200]);
    });
  });

  describe.each([
    ['DELETE /api/orgs/{org_id}/members/{user_id}', async (owner: TestUser, user: TestUser) => remove(owner, user)],
    ['POST /api/orgs/{org_id}/leave', async (_owner: TestUser, user: TestUser) => leave(user)],
  ])('%s', (_title, end) => {
    test('leaves no key that was made in the same instant', async () => {
      const owner = await registerUser(served.url);
      for (let round = 0; round < 5; round += 1) {
        const member = await join(owner);
        const newKey = async () => member.client.post('/api/users/me/api-keys', { name: 'late' });
        const answers = await Promise.all([newKey(), newKey(), end(owner, member), newKey(), newKey()]);
        for (const { status } of answers) expect([200, 201, 204, 403, 404, 409]).toContain(status);
        const { rows } = await served.api.database.system.query(
          'select 1 from api_keys where org_id = $1 and user_id = $2',
          [owner.orgId, member.id],
        );
        expect(rows).toEqual([]);
      }
    });

    test('ends every right in the organization, with keys, and no right elsewhere', async () => {
      const owner = await registerUser(served.url);
      const member = await join(owner);
      const { json: key } = await member.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'here' });
      const home = (await member.client.get<{ id: string }[]>('/api/orgs')).json.find(({ id }) => id !== owner.orgId);
      const kept = await member.client.post<{ key: string }>(
        '/api/users/me/api-keys',
        { name: 'home' },
        { 'x-org-id': home?.id ?? '' },
      );
      expect([200, 204]).toContain((await end(owner, member)).status);
      expect((await member.client.as(key.key).get('/api/agents')).status).toBe(401);
      expect((await member.client.as(kept.json.key).get('/api/agents')).status).toBe(200);
      expect((await member.client.get('/api/agents', { 'x-org-id': owner.orgId })).status).toBe(404);
      expect((await member.client.get('/api/users/me')).json).toMatchObject({ active_org_id: home?.id });
      expect(await roleOf(owner, member)).toBeUndefined();
    });

    test('asks the turns to stop that the member has running there, and no others', async () => {
      const owner = await registerUser(served.url);
      const member = await join(owner);
      const queue = async (user: TestUser) => {
        const chatId = await createChat(user.client, await createAgent(user.client));
        const author = { orgId: user.orgId, userId: user.id };
        const message = { chatId, content: 'hello', clientMessageId: undefined };
        return (await acceptMessage(served.api.database, author, message)).turnId;
      };
      const [theirs, ours] = [await queue(member), await queue(owner)];
      await end(owner, member);
      const { rows } = await served.api.database.system.query<{ id: string }>(
        'select id from turns where id = any($1) and interrupt_requested_at is not null',
        [[theirs, ours]],
      );
      expect(rows).toEqual([{ id: theirs }]);
    });
  });

  describe('DELETE /api/orgs/{org_id}/members/{user_id}', () => {
    test('ends the devices of a managed user', async () => {
      const owner = await registerUser(served.url);
      const device = await addDevice(owner);
      expect((await remove(owner, { id: device.user_id })).status).toBe(204);
      for (const token of [device.access_token, device.api_key]) {
        expect((await owner.client.as(token).get('/api/users/me')).status).toBe(401);
      }
      expect((await owner.client.post('/api/auth/refresh', { refresh_token: device.device_token })).status).toBe(401);
    });

    test('is refused for the owner, and to an admin for other admins', async () => {
      const owner = await registerUser(served.url);
      const [admin, other, member] = [await join(owner, 'admin'), await join(owner, 'admin'), await join(owner)];
      expect((await remove(owner, owner)).status).toBe(409);
      expect((await remove(admin, owner)).status).toBe(403);
      expect((await remove(admin, other)).status).toBe(403);
      expect((await remove(admin, member)).status).toBe(204);
      expect((await remove(admin, admin)).status).toBe(204);
      expect((await remove(owner, member)).status).toBe(404);
    });

    test('is done once when it comes many times at once', async () => {
      const owner = await registerUser(served.url);
      const member = await join(owner);
      const answers = await Promise.all(Array.from({ length: 6 }, () => remove(owner, member)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404, 404, 404]);
    });
  });

  describe('POST /api/orgs/{org_id}/leave', () => {
    test('is refused to the owner until the organization is handed over', async () => {
      const owner = await registerUser(served.url);
      const heir = await join(owner);
      const refused = await leave(owner);
      expect([refused.status, refused.json]).toEqual([409, { detail: expect.stringContaining('owner') }]);
      await setRole(owner, heir, 'owner');
      expect((await leave(owner)).status).toBe(200);
    });
  });

  describe('a managed account', () => {
    test('is free to create, accept and leave once it is an admin', async () => {
      const owner = await registerUser(served.url);
      const managed = await registerManaged(served.api, owner, 'member');
      expect((await managed.client.post('/api/orgs', { name: 'Mine' })).status).toBe(403);
      await setRole(owner, managed, 'admin');
      expect((await managed.client.get('/api/users/me')).json).toMatchObject({ is_managed: false });
      expect((await managed.client.post(`/api/orgs/${owner.orgId}/switch`)).status).toBe(200);
      expect((await leave(managed)).status).toBe(200);
      expect((await managed.client.get('/api/users/me')).json).toMatchObject({ orgs: [], active_org_id: null });
      expect((await managed.client.post('/api/orgs', { name: 'Mine' })).status).toBe(201);
    });

    test('is its own when its organization has removed it', async () => {
      const owner = await registerUser(served.url);
      const managed = await registerManaged(served.api, owner, 'member');
      await remove(owner, managed);
      const other = await registerUser(served.url);
      const { token } = await invite(other);
      expect((await managed.client.post('/api/orgs/accept-invite', { token })).status).toBe(200);
      expect((await managed.client.get('/api/users/me')).json).toMatchObject({
        is_managed: false,
        active_org_id: other.orgId,
      });
    });
  });

  describe('an organization', () => {
    test('has one owner, whatever is written into the database', async () => {
      const owner = await registerUser(served.url);
      const colleague = await registerColleague(served.api, owner, 'member');
      const { system } = served.api.database;
      const second = system.query("update memberships set role = 'owner' where user_id = $1 and org_id = $2", [
        colleague.id,
        owner.orgId,
      ]);
      await expect(second).rejects.toThrow('memberships_owner');
    });
  });
});

describe('password link', () => {
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
      const statuses = (await Promise.all(Array.from({ length: 6 }, () => setPassword(json.token)))).map(
        (a) => a.status,
      );
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
});
