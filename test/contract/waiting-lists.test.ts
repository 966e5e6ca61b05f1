import { describe, expect, jest, test } from '@jest/globals';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import type { ApiAnswer } from '../support/api-client.ts';
import { createAgent, registerUser, type TestUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeIds } from './make-records.ts';
import { fill } from './path-ids.ts';
import { routesThat } from './route-list.ts';

const served = serveTestApi();

/**
 * Keeps two lists of the user at work, so that further ones wait, until `meanwhile` is done; returns the answers of
 * those.
 */
async function askWhileFull<T>(
  reader: TestUser,
  paths: readonly string[],
  token: string,
  meanwhile: () => Promise<void>,
): Promise<ApiAnswer<T>[]> {
  const blocker = await served.api.database.system.connect();
  await blocker.query('begin');
  await blocker.query('lock table agents in access exclusive mode');
  const others = [reader.client.get('/api/agents'), reader.client.get('/api/agents')];
  await waitUntil(
    'both lists hold their places',
    async () => (await waitingForAgents()) === others.length || undefined,
  );
  const run = jest.spyOn(KeyedSemaphore.prototype, 'run');
  const waiting = Promise.all(paths.map(async (path) => reader.client.as(token).get<T>(path)));
  const waitingCount = () => run.mock.calls.filter(([key]) => key === reader.id).length;
  await waitUntil('the lists to wait', () => waitingCount() === paths.length || undefined);
  // Longer than an admission is good for.
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
  await meanwhile();
  await blocker.query('commit');
  blocker.release();
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
  const answers = await waiting;
  run.mockRestore();
  clock.mockRestore();
  return answers;
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

test('every list is answered with 401 when the key is revoked while it waits for a slot', async () => {
  const user = await registerUser(served.url);
  const { json: key } = await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' });
  const paths: string[] = [];
  for (const { route } of lists)
    paths.push(fill(route, await makeIds(route, served.api, user, { known: { org_id: user.orgId } })));
  const revoke = async () => void (await user.client.delete(`/api/users/me/api-keys/${key.id}`));
  const answers = await askWhileFull(user, paths, key.key, revoke);
  expect(answers.map(({ status }, index) => [lists[index]?.title, status])).toEqual(
    lists.map(({ title }) => [title, 401]),
  );
});

describe('a list that waits for a slot', () => {
  const groups = '/api/permissions/groups';

  test('is not answered to a member who is removed in the meantime', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.api, owner, 'member');
    const remove = async () => {
      await served.api.database.system.query('delete from memberships where org_id = $1 and user_id = $2', [
        owner.orgId,
        member.id,
      ]);
      await served.api.database.follow([{ accessOf: [member.id] }]);
    };
    const [answer] = await askWhileFull(member, ['/api/chats'], member.accessToken, remove);
    expect(answer?.status).toBe(403);
  });

  test('shows what an allowlist that was set in the meantime allows', async () => {
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
    const [answer] = await askWhileFull<{ id: string }[]>(member, ['/api/agents'], member.accessToken, restrict);
    expect(answer?.json.map(({ id }) => id)).toEqual([allowed]);
  });

  test('is authorized once when there is a slot at once', async () => {
    const { client } = await registerUser(served.url);
    const queries = jest.spyOn(served.api.database.system, 'query');
    expect((await client.get('/api/agents')).status).toBe(200);
    const lookUps = queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('principal-of-session'));
    queries.mockRestore();
    expect(lookUps).toHaveLength(1);
  });
});
