import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Transaction, withSystemTransaction } from '../../db/core/transactions.ts';
import { acceptInvite } from '../../db/invites/accept-invite.ts';
import { deleteAccount as deleteStored } from '../../db/membership-changes/delete-account.ts';
import { createOrg, switchOrg } from '../../db/orgs/orgs.ts';
import { rememberAddress } from '../../db/passwords.ts';
import { updateUser } from '../../db/users/user.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { ApiClient } from '../../test/support/api-client.ts';
import { createChat, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { forgetAttempts } from '../../test/support/forget-attempts.ts';
import { invite, join } from '../../test/support/invitations.ts';
import { registerManaged } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const served = serveTestApi();
const system = async (text: string, values: unknown[] = []) => served.api.database.system.query(text, values);
const deleteAccount = async ({ client, password }: TestUser, current_password = password) =>
  client.post<{ detail: string }>('/api/users/me/delete', { current_password });

beforeEach(async () => forgetAttempts(served.api.database));

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

  test('has its own organizations marked as deleted, and leaves no keys to them', async () => {
    const user = await registerUser(served.url);
    await user.client.post('/api/users/me/api-keys', { name: 'ci' });
    expect((await deleteAccount(user)).status).toBe(204);
    expect((await system('select from api_keys where user_id = $1', [user.id])).rowCount).toBe(0);
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

describe('the audit log of each organization that an account leaves by its deletion', () => {
  test('says so, whichever organization is active', async () => {
    const owners = [await registerUser(served.url), await registerUser(served.url)];
    const user = await registerUser(served.url);
    for (const owner of owners) {
      const { token } = await invite(owner, { role: 'member' });
      expect((await user.client.post('/api/orgs/accept-invite', { token })).status).toBe(200);
    }
    expect((await deleteAccount(user)).status).toBe(204);
    const { rows } = await system(
      `select org_id as "orgId", record_id as "recordId", outcome from audit_log
        where actor_id = $1 and action = 'users.delete' order by org_id`,
      [user.id],
    );
    const orgIds = owners.map(({ orgId }) => orgId).toSorted();
    expect(rows).toEqual(orgIds.map((orgId) => ({ orgId, recordId: null, outcome: 'success' })));
  });
});

describe('what was under way for an account when it was deleted', () => {
  /** Returns the statements like `query` of this database, and of no other test's, that wait for a lock. */
  const waitingStatements = async (query: string): Promise<object[]> => {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like $1`;
    return (await system(waiting, [query])).rows;
  };

  /** Starts `work` while `transaction` holds locks, and returns once it waits for one in a statement like `query`. */
  const startWaiting = async (work: () => Promise<unknown>, query: string) => {
    const done = Promise.allSettled([work()]);
    await waitUntil(`the statement to wait: ${query}`, async () => {
      const [waiting] = await waitingStatements(query);
      return waiting;
    });
    return { done };
  };
  const lock = async (transaction: Transaction, statement: string, id: string) =>
    (await transaction.query(statement, [id])).rowCount;

  test('can add what refers to organization and account, in that order, while the deletion waits for it', async () => {
    const { database } = served.api;
    const user = await registerUser(served.url);
    const { done } = await withSystemTransaction(database, async (transaction) => {
      await lock(transaction, 'select from orgs where id = $1 for key share', user.orgId);
      const deletion = await startWaiting(async () => deleteStored(database, user.id), '%from orgs%');
      expect(await lock(transaction, 'select from users where id = $1 for key share nowait', user.id)).toBe(1);
      return deletion;
    });
    expect(await done).toMatchObject([{ status: 'fulfilled' }]);
  });

  test('does not hold a key that is rotated while it waits for the deletion', async () => {
    const { database } = served.api;
    const user = await registerUser(served.url);
    const { json: key } = await user.client.post<{ id: string }>('/api/users/me/api-keys', { name: 'ci' });
    const rotate = async () => user.client.post(`/api/users/me/api-keys/${key.id}/rotate`);
    const { done } = await withSystemTransaction(database, async (transaction) => {
      await lock(transaction, 'select from users where id = $1 for update', user.id);
      const rotation = await startWaiting(rotate, '%');
      expect(await lock(transaction, 'select from api_keys where id = $1 for update nowait', key.id)).toBe(1);
      return rotation;
    });
    expect(await done).toMatchObject([{ value: { status: 200 } }]);
  });

  test('remembers no address that the account was used from', async () => {
    const { database } = served.api;
    const user = await registerUser(served.url);
    const known = async () => (await system('select from known_addresses where user_id = $1', [user.id])).rowCount;
    await rememberAddress(database, user.id, Buffer.from('an address'));
    expect(await known()).toBeGreaterThan(0);
    expect((await deleteAccount(user)).status).toBe(204);
    await rememberAddress(database, user.id, Buffer.from('an address'));
    expect(await known()).toBe(0);
  });

  test('comes too late, and leaves nothing behind', async () => {
    const { database } = served.api;
    const owner = await registerUser(served.url);
    const user = await registerUser(served.url);
    const open = await invite(owner, { role: 'member' });
    expect((await deleteAccount(user)).status).toBe(204);
    const late = [
      createOrg(database, user.id, { name: 'Lab', icon: '', color: '' }, parseOrgLimits('')),
      acceptInvite(database, user.id, open.id),
      switchOrg(database, { orgId: owner.orgId, userId: user.id }),
      updateUser(database, user.id, { email: user.email, passwordHash: 'hash' }),
    ];
    for (const outcome of await Promise.allSettled(late))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    const { rows } = await system(
      `select email, (select count(*)::int from memberships where user_id = $1) as memberships,
        (select count(*)::int from user_passwords where user_id = $1) as passwords from users where id = $1`,
      [user.id],
    );
    expect(rows).toEqual([{ email: expect.stringContaining('@removed.invalid'), memberships: 0, passwords: 0 }]);
    expect((await join(owner, 'member')).id).not.toBe(user.id);
  });

  test('an organization that is handed over in that instant keeps its owner', async () => {
    const { database } = served.api;
    const owner = await registerUser(served.url);
    const user = await join(owner, 'admin');
    const { deletion } = await withSystemTransaction(database, async (transaction) => {
      const role = 'update memberships set role = $3 where org_id = $1 and user_id = $2';
      await transaction.query(role, [owner.orgId, owner.id, 'admin']);
      await transaction.query(role, [owner.orgId, user.id, 'owner']);
      const started = deleteStored(database, user.id).catch((error: unknown) => error);
      await waitUntil('the deletion to wait for the hand-over', async () => {
        const [waiting] = await waitingStatements('%from memberships%');
        return waiting;
      });
      return { deletion: started };
    });
    expect(await deletion).toMatchObject({ code: 'conflict' });
    expect((await user.client.get(`/api/orgs/${owner.orgId}`)).json).toMatchObject({ role: 'owner' });
  });
});
