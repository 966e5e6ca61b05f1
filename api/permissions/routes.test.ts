import { expect, test } from '@jest/globals';
import { createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

interface Shown {
  readonly user_id: string;
  readonly groups: readonly { name: string }[];
  readonly budgets: readonly Record<string, unknown>[];
  readonly is_blocked: boolean;
}

const served = serveTestApi();

/** Puts a member into a group of their own with a budget. */
async function limit(owner: TestUser, { id }: TestUser, name: string, limits: Record<string, number>): Promise<void> {
  const { json } = await owner.client.post<{ id: string }>('/api/permissions/groups', { name, limits });
  await owner.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [id] });
}

/** Counts tokens that a member has used so long ago. */
async function spend({ id, orgId, client }: TestUser, tokens: number, hoursAgo: number): Promise<void> {
  const chatId = await createChat(client);
  const { system } = served.api.database;
  await system.query(
    `with turn as (
        insert into turns (id, org_id, chat_id, user_id, status, ended_at)
        values (gen_random_uuid(), $1, $2, $3, 'completed', now()) returning id
      )
      insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated, created_at)
      select id, 0, $1, $2, $3, 'model', $4, 0, false, now() - $5 * interval '1 hour' from turn`,
    [orgId, chatId, id, tokens, hoursAgo],
  );
}

test('administrators see who has used how much of which budget, a page at a time', async () => {
  const owner = await registerUser(served.url);
  const [busy, idle] = [
    await registerColleague(served.api, owner, 'member'),
    await registerColleague(served.api, owner, 'member'),
  ];
  await spend(busy, 120, 2);
  await spend(busy, 300, 100);
  await spend(idle, 60, 0);
  await limit(owner, busy, 'Day', { token_budget: 100, token_window_hours: 24 });
  await limit(owner, busy, 'All time', { token_budget: 1_000, token_window_hours: 0 });
  await limit(owner, idle, 'Small', { token_budget: 50, token_window_hours: 1 });
  const path = '/api/permissions/budgets';
  const { status, json } = await owner.client.get<Shown[]>(path);
  expect([status, json.map(({ user_id: id }) => id)]).toEqual([200, [owner.id, busy.id, idle.id]]);
  const [first, second, third] = json;
  expect(first).toMatchObject({ role: 'owner', groups: [], budgets: [], is_blocked: false, available_at: null });
  expect(second?.groups.map(({ name }) => name)).toEqual(['Day', 'All time']);
  expect(second).toMatchObject({ is_blocked: false, available_at: null });
  expect(second?.budgets).toMatchObject([
    { token_budget: 100, used_tokens: 120, remaining_tokens: 0, available_at: expect.any(String) },
    { token_budget: 1_000, used_tokens: 420, remaining_tokens: 580, available_at: null },
  ]);
  expect(third).toMatchObject({ is_blocked: true, available_at: expect.any(String) });
  const own = await idle.client.get<{ usage: { budgets: unknown } }>('/api/permissions/me');
  expect(third?.budgets).toEqual(own.json.usage.budgets);
  const page = await owner.client.get<Shown[]>(`${path}?limit=1&offset=1`);
  expect([page.json, page.headers.get('x-total-count')]).toEqual([[second], '3']);
  expect((await busy.client.get(path)).status).toBe(403);
});
