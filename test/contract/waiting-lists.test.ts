import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeIds } from './make-records.ts';
import { fill } from './path-ids.ts';
import { routesThat } from './route-list.ts';

/** Longer than an admission is good for while a list waits for its place. */
const SLOW_MS = 300;

const served = serveTestApi();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(served.url);
});

/**
 * Keeps two lists of the user at work, so that a third one waits, until `meanwhile` is done; returns the third one's
 * answer.
 */
async function askWhileFull(reader: TestUser, path: string, token: string, meanwhile: () => Promise<void>) {
  const blocker = await served.api.database.system.connect();
  await blocker.query('begin');
  await blocker.query('lock table agents in access exclusive mode');
  const others = [reader.client.get('/api/agents'), reader.client.get('/api/agents')];
  await waitUntil(
    'both lists hold their places',
    async () => (await waitingForAgents()) === others.length || undefined,
  );
  const waiting = reader.client.as(token).get<{ id: string }[]>(path);
  await sleep(SLOW_MS);
  await meanwhile();
  // On a busy machine the list may have been authorized just now.
  await sleep(SLOW_MS);
  await blocker.query('commit');
  blocker.release();
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
  return waiting;
}

/** Returns how many statements of this database wait for the locked table of agents. */
async function waitingForAgents(): Promise<number> {
  const { rows } = await served.api.database.system.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_locks join pg_database on pg_database.oid = pg_locks.database
     where datname = current_database() and relation = 'agents'::regclass and not granted`,
  );
  return rows[0]?.waiting ?? 0;
}

const lists = routesThat(
  ({ method, access, response }) => method === 'get' && access !== 'public' && response.schema?.type === 'array',
);

describe.each(lists)('$title', ({ route }) => {
  test('answers 401 when the key is revoked while the list waits for a place', async () => {
    const { json: key } = await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' });
    const path = fill(route, await makeIds(route, served.api, user, { known: { org_id: user.orgId } }));
    const revoke = async () => void (await user.client.delete(`/api/users/me/api-keys/${key.id}`));
    expect((await askWhileFull(user, path, key.key, revoke)).status).toBe(401);
  });
});

describe('a list that waits for a place', () => {
  const groups = '/api/permissions/groups';

  test('is not answered to who is removed meanwhile', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const remove = async () => {
      await served.api.database.system.query('delete from memberships where org_id = $1 and user_id = $2', [
        owner.orgId,
        member.id,
      ]);
      await served.api.database.follow([{ accessOf: [member.id] }]);
    };
    expect((await askWhileFull(member, '/api/chats', member.accessToken, remove)).status).toBe(403);
  });

  test('shows what an allowlist that was set meanwhile allows', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const [allowed] = [await createAgent(owner.client), await createAgent(owner.client)];
    const { json } = await owner.client.post<{ id: string }>(groups, { name: 'g', permissions: ['agents.view'] });
    await owner.client.send('PUT', `${groups}/${json.id}/members`, { user_ids: [member.id] });
    const restrict = async () => {
      const { system } = served.api.database;
      await system.query(
        "update permission_groups set allowlists = jsonb_set(allowlists, '{agentIds}', to_jsonb(array[$2])) where id = $1",
        [json.id, allowed],
      );
      await system.query('update memberships set policy_version = gen_random_uuid() where user_id = $1', [member.id]);
      await served.api.database.follow([{ accessOf: [member.id] }]);
    };
    const { json: agents } = await askWhileFull(member, '/api/agents', member.accessToken, restrict);
    expect(agents.map(({ id }) => id)).toEqual([allowed]);
  });

  test('is authorized once when there is a place at once', async () => {
    const { client } = await registerUser(served.url);
    const queries = jest.spyOn(served.api.database.system, 'query');
    expect((await client.get('/api/agents')).status).toBe(200);
    const lookUps = queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('principal-of-session'));
    queries.mockRestore();
    expect(lookUps).toHaveLength(1);
  });
});
