import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeDelivery } from '../../test/support/stored-delivery.ts';
import { UNKNOWN_ID } from '../../test/support/unknown-id.ts';

interface Shown {
  readonly webhook: Readonly<Record<string, unknown>> | null;
}
interface Delivery {
  readonly id: string;
}

const URL = 'https://hooks.example.com/everturn';
const SECRET = 'a secret of the receiver';
const served = serveTestApi();
let user: TestUser;
let agentId: string;
let chatId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
  chatId = await createChat(user.client, agentId);
});

const path = () => `/api/chats/${chatId}/webhook`;
const set = async (fields: Record<string, unknown>, by = user) => by.client.patch<Shown>(path(), fields);

/** Puts a colleague into a permission group of their own. */
async function group({ id }: TestUser, fields: Record<string, unknown>): Promise<void> {
  const { json } = await user.client.post<{ id: string }>('/api/permissions/groups', { name: 'Automation', ...fields });
  await user.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [id] });
}

/** Stores deliveries of the chat; answers their ids, newest first. */
async function store(count: number): Promise<string[]> {
  const { rows } = await served.api.database.system.query<{ id: string }>(
    `with t as (
        insert into turns (id, org_id, chat_id, user_id, status) values (gen_random_uuid(), $1, $2, $3, 'completed') returning id
      )
      insert into messages (id, org_id, chat_id, turn_id, role, content, agent_id)
      select gen_random_uuid(), $1, $2, id, 'assistant', 'x', $4 from t returning id`,
    [user.orgId, chatId, user.id, agentId],
  );
  const message_id = rows[0]?.id ?? '';
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.unshift(
      await storeDelivery(served.api, {
        orgId: user.orgId,
        userId: user.id,
        owner: { chat_id: chatId },
        subject: { message_id },
      }),
    );
  return ids;
}

describe('the webhook of a chat', () => {
  test('is shown to its owner without its secret, changed, and removed', async () => {
    const shown = { url: URL, has_secret: true, status: 'active', pause_reason: null };
    const answer = await set({ url: URL, secret: SECRET });
    expect([answer.status, answer.json.webhook]).toEqual([200, shown]);
    expect((await set({ url: `${URL}?of=1` })).json.webhook).toEqual({ ...shown, url: `${URL}?of=1` });
    expect((await set({ url: URL, secret: null })).json.webhook).toEqual({ ...shown, has_secret: false });
    const list = await user.client.get<(Shown & { id: string })[]>('/api/chats');
    expect(list.json.find(({ id }) => id === chatId)?.webhook).toMatchObject({ url: URL });
    expect((await set({ url: null })).json.webhook).toBeNull();
    expect((await set({ url: null })).json.webhook).toBeNull();
  });

  test.each([
    'no address',
    'ftp://hooks.example.com/x',
    'https://name:password@hooks.example.com/x',
    'https://hooks.example.com/x#part',
    'https://hooks.example.com/x\r\nx-header: y',
    'https://hooks.example.com/a b',
    'http://127.0.0.1/x',
    'http://[::1]/x',
    'http://[::ffff:10.0.0.1]/x',
    'http://169.254.169.254/latest',
    'http://0x7f.1/x',
    'http://localhost:8080/x',
    `https://hooks.example.com/${'x'.repeat(2_048)}`,
    '',
  ])('is not set to %j', async (url) => {
    expect((await set({ url })).status).toBe(422);
    expect((await user.client.get<Shown>(`/api/chats/${chatId}`)).json.webhook).toBeNull();
  });

  test.each([
    {},
    { secret: SECRET },
    { url: null, secret: SECRET },
    { url: URL, secret: 'short' },
    { url: URL, more: 1 },
  ])('is not changed by %j', async (fields) => {
    expect((await set(fields)).status).toBe(422);
  });

  test('is for its owner, who needs webhooks.manage', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    expect((await set({ url: URL }, colleague)).status).toBe(404);
    const project = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
    const shared = { agent_id: agentId, project_id: project.json.id };
    chatId = (await user.client.post<{ id: string }>('/api/chats', shared)).json.id;
    expect((await set({ url: URL })).status).toBe(200);
    expect((await colleague.client.get<Shown>(`/api/chats/${chatId}`)).json.webhook).toBeNull();
    expect((await set({ url: URL }, colleague)).status).toBe(403);
    expect((await colleague.client.get(`${path()}/deliveries`)).status).toBe(403);
    chatId = await createChat(colleague.client, agentId);
    await group(colleague, { permissions: ['agents.view', 'webhooks.view'] });
    expect((await set({ url: URL }, colleague)).status).toBe(403);
    expect((await colleague.client.get(`${path()}/deliveries`)).status).toBe(200);
  });

  test('goes with a chat that is deleted for good', async () => {
    await set({ url: URL });
    await served.api.database.system.query('delete from chats where id = $1', [chatId]);
    const { rows } = await served.api.database.system.query('select from webhook_targets where org_id = $1', [
      user.orgId,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('deliveries', () => {
  test('are listed newest first, in pages, and before one of them', async () => {
    const ids = await store(3);
    const list = async (query: string) => user.client.get<Delivery[]>(`${path()}/deliveries${query}`);
    expect((await list('')).json.map(({ id }) => id)).toEqual(ids);
    const page = await list('?limit=1&offset=1');
    expect([page.json.map(({ id }) => id), page.headers.get('x-total-count')]).toEqual([[ids[1]], '3']);
    expect((await list(`?before=${ids[1]}`)).json.map(({ id }) => id)).toEqual([ids[2]]);
    expect((await list(`?before=${UNKNOWN_ID}`)).status).toBe(404);
    expect((await list('?limit=1001')).status).toBe(422);
  });

  test('of one chat are not there for another', async () => {
    const [id] = await store(1);
    chatId = await createChat(user.client, agentId);
    expect((await user.client.post(`${path()}/deliveries/${id}/redeliver`)).status).toBe(404);
    expect((await user.client.get(`${path()}/deliveries?before=${id}`)).status).toBe(404);
  });
});

describe('notify_url of a workflow', () => {
  const workflow = { name: 'Report', prompt_template: 'Go.', notify_url: URL, notify_secret: SECRET };
  const create = async (by = user, fields: Record<string, unknown> = {}) =>
    by.client.post<{ id: string }>('/api/workflows', { ...workflow, agent_id: agentId, ...fields });

  test('is set, shown, changed and removed with the workflow', async () => {
    const created = await create();
    const shown = { notify_url: URL, has_notify_secret: true, notify_status: 'active', notify_pause_reason: null };
    expect([created.status, created.json]).toEqual([201, expect.objectContaining(shown)]);
    expect(JSON.stringify(created.json)).not.toContain(SECRET);
    const one = `/api/workflows/${created.json.id}`;
    expect((await user.client.get(one)).json).toMatchObject(shown);
    expect((await user.client.get<object[]>('/api/workflows')).json).toMatchObject([shown]);
    expect((await user.client.patch(one, { name: 'Renamed' })).json).toMatchObject(shown);
    const unsigned = { ...shown, has_notify_secret: false };
    expect((await user.client.patch(one, { notify_secret: null })).json).toMatchObject(unsigned);
    const none = { notify_url: null, has_notify_secret: false, notify_status: null };
    expect((await user.client.patch(one, { notify_url: null })).json).toMatchObject(none);
    expect((await user.client.patch(one, { notify_secret: SECRET })).status).toBe(422);
    expect((await user.client.patch(one, { notify_url: 'http://127.0.0.1/x' })).status).toBe(422);
  });

  test('needs webhooks.manage, without which it is not shown', async () => {
    const { id } = (await create()).json;
    const colleague = await registerColleague(served.api, user, 'member');
    await group(colleague, { permissions: ['agents.view', 'schedules.manage', 'webhooks.view'] });
    expect((await create(colleague)).status).toBe(403);
    const one = `/api/workflows/${id}`;
    expect((await colleague.client.patch(one, { notify_url: null })).status).toBe(403);
    expect((await colleague.client.get(one)).json).toMatchObject({ notify_url: null, notify_status: 'active' });
    expect((await colleague.client.get(`${one}/deliveries`)).status).toBe(200);
  });

  test('reveals nothing of workflows to those who may not see them', async () => {
    const { id } = (await create()).json;
    const colleague = await registerColleague(served.api, user, 'member');
    await group(colleague, {
      permissions: ['schedules.manage', 'webhooks.manage'],
      capabilities: { agent_ids: [await createAgent(user.client)] },
    });
    expect((await colleague.client.get(`/api/workflows/${id}/deliveries`)).status).toBe(404);
    const stranger = await registerUser(served.url);
    expect((await stranger.client.get(`/api/workflows/${id}/deliveries`)).status).toBe(404);
    const path = `/api/workflows/${id}/deliveries/${UNKNOWN_ID}/redeliver`;
    expect((await stranger.client.post(path)).status).toBe(404);
  });
});

describe('notify_url of a schedule', () => {
  test('is set, shown, changed and removed with the schedule, by those who have webhooks.manage', async () => {
    const fields = { name: 'Weekly', agent_id: agentId, prompt: 'Go.', cron_expr: '0 9 * * mon' };
    const notify = { notify_url: URL, notify_secret: SECRET };
    const created = await user.client.post<{ id: string }>('/api/schedules', { ...fields, ...notify });
    const shown = { notify_url: URL, has_notify_secret: true, notify_status: 'active', notify_pause_reason: null };
    expect([created.status, created.json]).toEqual([201, expect.objectContaining(shown)]);
    const one = `/api/schedules/${created.json.id}`;
    expect((await user.client.get<object[]>('/api/schedules')).json).toMatchObject([shown]);
    expect((await user.client.get(`${one}/deliveries`)).json).toEqual([]);
    const colleague = await registerColleague(served.api, user, 'member');
    await group(colleague, { permissions: ['agents.view', 'schedules.manage'] });
    expect((await colleague.client.patch(one, { notify_url: null })).status).toBe(403);
    expect((await colleague.client.patch(one, { name: 'Renamed' })).json).toMatchObject({ ...shown, notify_url: null });
    expect((await user.client.patch(one, { notify_url: 'http://127.0.0.1/x' })).status).toBe(422);
    expect((await user.client.patch(one, { notify_url: null })).json).toMatchObject({ notify_url: null });
  });
});
