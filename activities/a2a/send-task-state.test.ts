import type { Task, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn } from '../../db/turns/steps/finish-turn.ts';
import { purgePushConfigs } from '../../db/webhooks/push-configs.ts';
import { notifyClientsOf } from '../../db/webhooks/notify-webhook.ts';
import type { DueWork } from '../../domain/core/due-work.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { A2A_VERSIONS, type A2aVersion, connectA2aClient, messageTo } from '../../test/support/a2a/a2a-clients.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { json, OutsideServer } from '../../test/support/outside-server.ts';
import { registerColleague } from '../../test/support/people.ts';
import { startTestApi, type TestApi } from '../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { webhookDeps } from '../../test/support/webhook-deps.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { deliverWaiting } from '../webhooks.ts';
import { PLAIN_END } from '../../test/support/plain-end.ts';

// No worker takes the turns: their states change as the test says.
const ENDED = { hasEnded: true, waitMs: 0 };
let testDatabase: TestDatabase;
let api: TestApi;
let receiver: OutsideServer;
let guarded: ReturnType<typeof createGuardedFetch>;
let user: TestUser;
let agentId: string;
const due: DueWork[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  receiver = await OutsideServer.start();
  const privateHosts = `127.0.0.1:${receiver.port}`;
  guarded = createGuardedFetch(parsePrivateHosts(privateHosts));
  api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1', privateHosts });
  api.database.onDueWork((work) => {
    if (work.kind === 'webhook') due.push(work);
  });
});
beforeEach(async () => {
  receiver.seen.length = 0;
  receiver.reply = json({});
  due.length = 0;
  user = await registerUser(api.url);
  await createProvider(user.client, receiver.url);
  agentId = await createAgent(user.client, { is_published: true });
});
afterAll(async () => {
  receiver.close();
  await guarded.close();
  await api.close();
  await testDatabase.drop();
});

const connect = async (version: A2aVersion = '1.0', token = user.accessToken) =>
  connectA2aClient({ url: api.url, token, agentId }, version);

/** Returns a config that leads to the receiver; without an id the service names it. */
const pushTo = (path: string, fields: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  tenant: '',
  id: '',
  taskId: '',
  url: `${receiver.url}${path}`,
  token: '',
  authentication: undefined,
  ...fields,
});
const refOf = (taskId: string, id = '') => ({ tenant: '', taskId, id });
const pageOf = (taskId: string) => ({ tenant: '', taskId, pageSize: 0, pageToken: '' });

/** Has a new task begun by a client that is notified of it. */
async function begin(push: TaskPushNotificationConfig, version: A2aVersion = '1.0'): Promise<Task> {
  const client = await connect(version);
  return (await client.sendMessage(messageTo('Go.', { isLeft: true, push }))) as Task;
}

async function claim({ contextId: chatId }: Task) {
  const { orgId } = user;
  const turn = await claimTurn(api.database, { orgId, chatId });
  if (turn === undefined) throw new Error('no turn is open');
  if (turn.hasClientsToNotify) await notifyClientsOf(api.database, { orgId, turnId: turn.id });
  return turn;
}

async function finish(task: Task, content: string): Promise<void> {
  const { id: turnId, attempt, step } = await claim(task);
  await finishTurn(api.database, {
    orgId: user.orgId,
    chatId: task.contextId,
    turnId,
    attempt,
    step,
    agentId,
    status: 'completed',
    content,
    metadata: { status: 'completed' },
    ...PLAIN_END,
  });
}

/** Delivers what is due to be told of a task. */
async function deliver({ id }: Pick<Task, 'id'>) {
  const deps = await webhookDeps(api.database, guarded);
  const { rows } = await api.database.system.query<{ id: string }>(
    'select id from webhook_targets where turn_id = $1 order by id',
    [id],
  );
  const ends = [];
  for (const { id: targetId } of rows)
    ends.push(await deliverWaiting(deps, { orgId: user.orgId, targetId }, new AbortController().signal));
  return ends;
}

const change = async (text: string) => {
  await api.database.system.query(text);
};
const waitNoLonger = async () => change('update webhook_deliveries set next_attempt_at = now()');
const taskIn = ({ body }: { readonly body: string }) => {
  const content = JSON.parse(body) as Record<string, unknown>;
  return (content['task'] ?? content) as { readonly status: { readonly state: string } } & Record<string, unknown>;
};
const states = () => receiver.seen.map((request) => taskIn(request).status.state);
const attempts = () => receiver.seen.map(({ headers }) => headers['x-everturn-delivery']);

describe.each([
  { version: '1.0', words: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'] },
  { version: '0.3', words: ['submitted', 'working', 'completed'] },
] as const)('the official client, by version $version,', ({ version, words }) => {
  test('is notified once of each state of a task, with what it recognizes the sender by', async () => {
    const authentication = { scheme: 'Bearer', credentials: 'credentials of mine' };
    const task = await begin(pushTo('/hook', { token: 'token-of-mine', authentication }), version);
    expect(due).toHaveLength(1);
    expect(await deliver(task)).toEqual([ENDED]);
    await claim(task);
    expect(due).toHaveLength(2);
    expect(await deliver(task)).toEqual([ENDED]);
    await claim(task);
    expect(due).toHaveLength(2);
    await finish(task, 'The answer.');
    expect(due).toHaveLength(3);
    expect(await deliver(task)).toEqual([ENDED]);
    expect(await deliver(task)).toEqual([ENDED]);
    expect(states()).toEqual(words);
    expect(new Set(attempts()).size).toBe(3);
    const [last] = receiver.seen.slice(-1);
    expect(taskIn(last ?? { body: '{}' })).toMatchObject({
      id: task.id,
      contextId: task.contextId,
      artifacts: [{ parts: [{ text: 'The answer.' }] }],
    });
    expect(last?.headers).toMatchObject({
      authorization: 'Bearer credentials of mine',
      'x-a2a-notification-token': 'token-of-mine',
      'content-type': version === '1.0' ? 'application/a2a+json' : 'application/json',
    });
    expect(last?.headers['x-everturn-signature']).toBeUndefined();
  });

  test('sets, reads, lists and deletes what it is notified by, and is not shown what it recognizes the sender by', async () => {
    const client = await connect(version);
    const { id: taskId } = (await client.sendMessage(messageTo('Go.', { isLeft: true }))) as Task;
    const authentication = { scheme: 'Bearer', credentials: 'credentials of mine' };
    const own = pushTo('/own', { taskId, id: 'own', token: 'token-of-mine', authentication });
    const set = await client.createTaskPushNotificationConfig(own);
    expect(set).toMatchObject({ taskId, id: 'own', url: own.url, token: '', authentication: undefined });
    const unnamed = await client.createTaskPushNotificationConfig(pushTo('/unnamed', { taskId }));
    expect(unnamed.id).not.toBe('');
    expect(await client.getTaskPushNotificationConfig(refOf(taskId, 'own'))).toEqual(set);
    const list = async () => (await client.listTaskPushNotificationConfig(pageOf(taskId))).configs;
    expect(await list()).toEqual([set, unnamed]);
    const moved = await client.createTaskPushNotificationConfig(pushTo('/moved', { taskId, id: 'own' }));
    expect(await list()).toEqual([unnamed, moved]);
    await client.deleteTaskPushNotificationConfig(refOf(taskId, 'own'));
    await client.deleteTaskPushNotificationConfig(refOf(taskId, 'own'));
    expect(await list()).toEqual([unnamed]);
    await expect(client.getTaskPushNotificationConfig(refOf(taskId, 'own'))).rejects.toThrow(TaskNotFoundError);
    expect(await deliver({ id: taskId })).toEqual([ENDED]);
    expect(receiver.seen.map(({ url }) => url)).toEqual(['/unnamed']);
  });
});

describe('a notification', () => {
  test('that fails is repeated after a wait, and reports the state of the task by then', async () => {
    const task = await begin(pushTo('/hook'));
    receiver.reply = json({}, 503);
    const [failed] = await deliver(task);
    expect(failed?.hasEnded).toBe(false);
    due.length = 0;
    await finish(task, 'The answer.');
    expect(due).toEqual([]);
    receiver.reply = json({});
    await waitNoLonger();
    expect(await deliver(task)).toEqual([ENDED]);
    expect(states()).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_COMPLETED']);
    expect(attempts()[0]).toBe(attempts()[1]);
  });

  test('contains the beginning of a long answer, and says so', async () => {
    const task = await begin(pushTo('/hook'));
    await finish(task, 'x'.repeat(150_000));
    await deliver(task);
    const [sent] = receiver.seen.map(taskIn);
    expect(sent?.['artifacts']).toEqual([
      expect.objectContaining({
        parts: [expect.objectContaining({ text: 'x'.repeat(100_000) })],
        metadata: { truncated: true },
      }),
    ]);
  });

  test('reports a task that a person withdraws before it has begun', async () => {
    const task = await begin(pushTo('/hook'));
    await deliver(task);
    const messages = await user.client.get<{ id: string }[]>(`/api/chats/${task.contextId}/messages`);
    const path = `/api/chats/${task.contextId}/messages/${messages.json[0]?.id}/withdraw`;
    expect((await user.client.post(path)).status).toBe(200);
    expect(due).toHaveLength(2);
    await deliver(task);
    expect(states()).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_CANCELED']);
  });

  test('is not sent once the chat is deleted, nor after its receiver has said that it is gone', async () => {
    const [deleted, left] = [await begin(pushTo('/deleted')), await begin(pushTo('/left'))];
    expect((await user.client.delete(`/api/chats/${deleted.contextId}`)).status).toBe(204);
    expect(await deliver(deleted)).toEqual([ENDED]);
    receiver.reply = json({}, 410);
    await deliver(left);
    await claim(left);
    expect(await deliver(left)).toEqual([ENDED]);
    expect(receiver.seen.map(({ url }) => url)).toEqual(['/left']);
    await change(`delete from chats where id in ('${deleted.contextId}', '${left.contextId}')`);
    const { rows } = await api.database.system.query('select from webhook_targets where turn_id = any($1)', [
      [deleted.id, left.id],
    ]);
    expect(rows).toEqual([]);
  });

  test.each([{ is_published: false }, { is_active: false }])(
    'is not sent once its agent is set to %j',
    async (fields) => {
      const task = await begin(pushTo('/hook'));
      await deliver(task);
      expect((await user.client.patch(`/api/agents/${agentId}`, fields)).status).toBe(200);
      await finish(task, 'The answer.');
      expect(await deliver(task)).toEqual([ENDED]);
      expect(states()).toEqual(['TASK_STATE_SUBMITTED']);
    },
  );

  test('is for the user of the task, for as long as they may set webhooks', async () => {
    const colleague = await registerColleague(api, user, 'member');
    const client = await connect('1.0', colleague.accessToken);
    const theirs = (await client.sendMessage(messageTo('Go.', { isLeft: true, push: pushTo('/theirs') }))) as Task;
    const mine = await connect();
    for (const ask of [
      async () => mine.createTaskPushNotificationConfig(pushTo('/mine', { taskId: theirs.id })),
      async () => mine.getTaskPushNotificationConfig(refOf(theirs.id)),
      async () => mine.listTaskPushNotificationConfig(pageOf(theirs.id)),
      async () => mine.deleteTaskPushNotificationConfig(refOf(theirs.id)),
    ])
      await expect(ask()).rejects.toThrow(TaskNotFoundError);
    const rules = { name: 'No webhooks', permissions: ['agents.view'] };
    const group = await user.client.post<{ id: string }>('/api/permissions/groups', rules);
    await user.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, { user_ids: [colleague.id] });
    const more = client.createTaskPushNotificationConfig(pushTo('/more', { taskId: theirs.id }));
    await expect(more).rejects.toThrow(/webhooks\.manage/);
    expect(await deliver(theirs)).toEqual([ENDED]);
    expect(receiver.seen).toEqual([]);
  });
});

describe('a push notification config', () => {
  test.each([
    ['tasks/pushNotificationConfig/delete', (id: string) => ({ id })],
    ['DeleteTaskPushNotificationConfig', (taskId: string) => ({ taskId })],
  ])('that was set without an id is deleted without one by %s', async (method, paramsOf) => {
    const task = await begin(pushTo('/hook'));
    const request = { jsonrpc: '2.0', id: 1, method, params: paramsOf(task.id) };
    expect((await user.client.post<object>(`/a2a/agents/${agentId}`, request)).json).not.toHaveProperty('error');
    expect((await (await connect()).listTaskPushNotificationConfig(pageOf(task.id))).configs).toEqual([]);
  });

  test.each(['\0', 5, {}])('is not looked for by the id %j, which none can have', async (pushNotificationConfigId) => {
    const task = await begin(pushTo('/hook'));
    for (const method of ['get', 'delete']) {
      const params = { id: task.id, pushNotificationConfigId };
      const request = { jsonrpc: '2.0', id: 1, method: `tasks/pushNotificationConfig/${method}`, params };
      expect((await user.client.post<object>(`/a2a/agents/${agentId}`, request)).json).toMatchObject({
        error: { code: -32602 },
      });
    }
  });

  test.each([
    ['an address within', { url: 'http://10.0.0.1/hook' }],
    ['an address that is none', { url: 'hook' }],
    ['a token that no header can hold', { token: 'one\r\ntwo: 2' }],
    ['a scheme that is none', { authentication: { scheme: 'Bearer x:', credentials: 'c' } }],
  ])('is refused with %s, and no task is begun with it', async (_what, fields) => {
    await expect(begin(pushTo('/hook', fields))).rejects.toThrow(RequestMalformedError);
    expect((await user.client.get('/api/chats')).json).toEqual([]);
  });

  test('is one of ten of its task at most, is stored encrypted, and is in the audit log as a webhook of the chat', async () => {
    const task = await begin(pushTo('/hook', { token: 'token-of-mine' }));
    const client = await connect();
    const add = async (id: string) => client.createTaskPushNotificationConfig(pushTo('/hook', { taskId: task.id, id }));
    for (let count = 1; count < 10; count += 1) await add(`config ${count}`);
    await add('config 1');
    await expect(add('one more')).rejects.toThrow(/10 push notification configs/);
    const { rows } = await api.database.system.query<{ row: string }>(
      `select t::text || coalesce(encode(secret, 'escape'), '') as row from webhook_targets t`,
    );
    expect(rows.filter(({ row }) => row.includes('token-of-mine'))).toEqual([]);
    const log = await user.client.get<{ action: string; record_id: string }[]>('/api/audit?action=chats.webhook');
    expect(log.json).toHaveLength(11);
    expect(log.json[0]).toMatchObject({ record_id: task.contextId });
  });

  test('is deleted a day after the end of its task, once nothing is left to be sent', async () => {
    const [ended, unsent, open] = [await begin(pushTo('/a')), await begin(pushTo('/b')), await begin(pushTo('/c'))];
    for (const task of [ended, unsent]) await finish(task, 'The answer.');
    for (const task of [ended, open]) await deliver(task);
    const left = async () => {
      await purgePushConfigs(api.database);
      const { rows } = await api.database.system.query<{ url: string }>(
        'select url from webhook_targets where user_id = $1 order by url',
        [user.id],
      );
      return rows.map(({ url }) => url.slice(-2));
    };
    expect(await left()).toEqual(['/a', '/b', '/c']);
    await change("update turns set ended_at = ended_at - interval '25 hours' where ended_at is not null");
    expect(await left()).toEqual(['/a', '/b', '/c']);
    await change("update webhook_targets set created_at = created_at - interval '25 hours'");
    expect(await left()).toEqual(['/b', '/c']);
  });

  test('is one of ten thousand of its user at most', async () => {
    const task = await begin(pushTo('/hook'));
    await change(
      `insert into webhook_targets (id, org_id, turn_id, config_id, user_id, url, protocol_version, turn_state)
        select gen_random_uuid(), org_id, id, 'config ' || n, user_id, 'https://a.example', '1.0', ''
        from turns, generate_series(2, 10000) n where id = '${task.id}'`,
    );
    await expect(begin(pushTo('/hook'))).rejects.toThrow(/10,000 push notification configs/);
  });

  test.each(A2A_VERSIONS)('is announced by the card of version %s', async (version) => {
    const { json: card } = await user.client.get<{ capabilities: object }>(
      `/a2a/agents/${agentId}/.well-known/agent-card.json`,
      { 'a2a-version': version },
    );
    expect(card.capabilities).toMatchObject({ pushNotifications: true });
  });
});
