import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

// No worker ends the turns.
const served = serveTestApi();

let user: TestUser;
let agentId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Helper', description: 'Helps.', is_published: true });
});

interface RpcAnswer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const pathOf = (id = agentId) => `/a2a/agents/${id}`;
const cardOf = async (headers?: Record<string, string>, id = agentId) =>
  user.client.as(undefined).get<Record<string, unknown>>(`${pathOf(id)}/.well-known/agent-card.json`, headers);

/** Sends a request of the protocol. */
const ask = async (method: string, params: unknown, headers: Record<string, string> = {}) =>
  user.client.post<RpcAnswer>(pathOf(), { jsonrpc: '2.0', id: 7, method, params }, headers);

const LEFT = { returnImmediately: true };
const messageWith = (fields: Record<string, unknown> = {}) => ({
  message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello' }], ...fields },
  configuration: LEFT,
});

describe('the card of an agent', () => {
  test('is for everybody, and says by which versions the agent is reached, in the form of the version that is asked by', async () => {
    const url = `https://everturn.example.com${pathOf()}`;
    const both = ['1.0', '0.3'].map((protocolVersion) => ({ url, protocolBinding: 'JSONRPC', protocolVersion }));
    const current = await cardOf({ 'a2a-version': '1.0' });
    expect([current.status, current.json]).toEqual([
      200,
      expect.objectContaining({
        name: 'Helper',
        description: 'Helps.',
        supportedInterfaces: both,
        securitySchemes: { bearer: { httpAuthSecurityScheme: expect.objectContaining({ scheme: 'bearer' }) } },
        securityRequirements: [{ schemes: { bearer: { list: [] } } }],
      }),
    ]);
    const former = await cardOf();
    expect(former.json).toMatchObject({
      url,
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      supportedInterfaces: both,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      security: [{ bearer: [] }],
    });
  });

  test.each([
    ['it is not published', async (id: string) => user.client.patch(`/api/agents/${id}`, { is_published: false })],
    ['it is off', async (id: string) => user.client.patch(`/api/agents/${id}`, { is_active: false })],
    ['it is deleted', async (id: string) => user.client.delete(`/api/agents/${id}`)],
    [
      'its organization is deleted',
      async () => {
        await user.client.post('/api/orgs', { name: 'Another' });
        await user.client.delete(`/api/orgs/${user.orgId}`);
      },
    ],
  ])('is not found when %s, nor is the agent', async (_when, change) => {
    expect((await cardOf()).status).toBe(200);
    await change(agentId);
    const gone = await cardOf();
    expect([gone.status, gone.json]).toEqual([404, { detail: 'Agent not found' }]);
    expect((await ask('SendMessage', messageWith())).status).toBe(404);
  });

  test('is not that of the host, which says where the cards are', async () => {
    const { status, json } = await user.client.as(undefined).get('/.well-known/agent-card.json');
    const words = 'https://everturn.example.com/a2a/agents/{agent_id}/.well-known/agent-card.json';
    expect([status, json]).toEqual([404, { detail: expect.stringContaining(words) }]);
  });
});

describe('publishing an agent', () => {
  test('is for those who change the settings of the organization, and so is withdrawing it', async () => {
    const member = await registerColleague(served.api, user, 'member');
    const own = await createAgent(member.client, { name: 'Draft' });
    const refusal = { detail: expect.stringContaining('settings.manage') };
    for (const answer of [
      await member.client.post('/api/agents', { name: 'Other', is_published: true }),
      await member.client.patch(`/api/agents/${own}`, { is_published: true }),
      await member.client.patch(`/api/agents/${agentId}`, { is_published: false }),
    ])
      expect([answer.status, answer.json]).toEqual([403, refusal]);
    const renamed = await member.client.patch(`/api/agents/${agentId}`, { name: 'Renamed', is_published: true });
    expect(renamed.status).toBe(200);
    const admin = await registerColleague(served.api, user, 'admin');
    expect((await admin.client.patch(`/api/agents/${own}`, { is_published: true })).status).toBe(200);
    const listed = await user.client.get<{ id: string; is_published: boolean }[]>('/api/agents');
    expect(new Set(listed.json.filter((agent) => agent.is_published).map(({ id }) => id))).toEqual(
      new Set([own, agentId]),
    );
  });
});

describe('a request', () => {
  test('is answered 404 for the agent of another organization, and for one that the policy hides', async () => {
    const stranger = await registerUser(served.url);
    const foreign = await stranger.client.post<RpcAnswer>(pathOf(), { jsonrpc: '2.0', id: 1, method: 'GetTask' });
    expect([foreign.status, foreign.json.error?.message]).toEqual([404, 'Agent not found']);
    const viewer = await registerColleague(served.api, user, 'viewer');
    const other = await createAgent(user.client, { name: 'Allowed', is_published: true });
    const rules = { name: 'Narrow', permissions: ['agents.view'], capabilities: { agent_ids: [other] } };
    const group = await user.client.post<{ id: string }>('/api/permissions/groups', rules);
    await user.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, { user_ids: [viewer.id] });
    const sent = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: messageWith() };
    expect((await viewer.client.post(pathOf(), sent)).status).toBe(404);
    expect((await viewer.client.post(pathOf(other), sent)).status).toBe(200);
  });

  test.each([
    ['no token', undefined],
    ['a wrong one', 'et_key_wrong'],
  ])('is answered 401 with %s, in the form of JSON-RPC', async (_what, token) => {
    const answer = await user.client.as(token).post(pathOf(), { jsonrpc: '2.0', id: 1, method: 'GetTask' });
    const error = { code: expect.any(Number), message: 'Missing or invalid token' };
    expect([answer.status, answer.json]).toEqual([401, { jsonrpc: '2.0', id: null, error }]);
  });

  const INVALID = -32_600;
  const PARSE = -32_700;
  test.each([
    ['is no JSON', '{"jsonrpc":', PARSE],
    ['is no object', '[]', INVALID],
    ['is a batch', '[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]', INVALID],
    ['has no version', '{"id":1,"method":"GetTask"}', INVALID],
    ['has no method', '{"jsonrpc":"2.0","id":1}', INVALID],
    ['has a method that is none', '{"jsonrpc":"2.0","id":1,"method":7}', INVALID],
    ['has a broken id', '{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}', INVALID],
    ['has parameters by position', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[1]}', INVALID],
    [
      'nests too deep',
      `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":${'{"a":'.repeat(40)}1${'}'.repeat(41)}`,
      PARSE,
    ],
  ])('is answered 422 when it %s', async (_what, body, code) => {
    const answer = await user.client.send<RpcAnswer>('POST', pathOf(), body);
    expect([answer.status, answer.json.id, answer.json.error?.code]).toEqual([422, null, code]);
    expect(answer.json.error?.message).toMatch(/\w/);
  });

  const MALFORMED = -32_602;
  const NOT_FOUND = -32_001;
  const UNSUPPORTED = -32_004;
  const PUSH = { taskId: randomUUID(), url: 'https://a.example' };
  const NO_SUCH_TYPE = -32_005;
  const NO_SUCH_METHOD = -32_601;
  const NO_SUCH_VERSION = -32_009;
  test.each([
    ['a message without an id', 'SendMessage', messageWith({ messageId: undefined }), MALFORMED],
    ['a message with a long id', 'SendMessage', messageWith({ messageId: 'x'.repeat(191) }), MALFORMED],
    ['a message without parts', 'SendMessage', messageWith({ parts: [] }), MALFORMED],
    ['a message of blanks', 'SendMessage', messageWith({ parts: [{ text: ' \n' }] }), MALFORMED],
    ['a message with parts that are none', 'SendMessage', messageWith({ parts: 'Hello' }), MALFORMED],
    ['a message with a null character', 'SendMessage', messageWith({ parts: [{ text: 'a\u0000b' }] }), MALFORMED],
    ['a message that is too long', 'SendMessage', messageWith({ parts: [{ text: 'x'.repeat(500_000) }] }), MALFORMED],
    ['a message with a file', 'SendMessage', messageWith({ parts: [{ raw: 'aGk=' }] }), NO_SUCH_TYPE],
    ['a message with an address', 'SendMessage', messageWith({ parts: [{ url: 'https://a.example' }] }), NO_SUCH_TYPE],
    ['no message', 'SendMessage', {}, MALFORMED],
    ['a context that is none', 'SendMessage', messageWith({ contextId: 'mine' }), MALFORMED],
    ['an unknown context', 'SendMessage', messageWith({ contextId: randomUUID() }), MALFORMED],
    ['an unknown task', 'SendMessage', messageWith({ taskId: randomUUID() }), NOT_FOUND],
    ['a stream of a message without parts', 'SendStreamingMessage', messageWith({ parts: [] }), MALFORMED],
    ['a task that is none', 'GetTask', { id: '../../etc' }, NOT_FOUND],
    ['no task', 'GetTask', {}, NOT_FOUND],
    ['an unknown task to be canceled', 'CancelTask', { id: randomUUID() }, NOT_FOUND],
    ['an unknown task to be followed', 'SubscribeToTask', { id: randomUUID() }, NOT_FOUND],
    ['a page that is too large', 'ListTasks', { pageSize: 101 }, MALFORMED],
    ['a page of nothing', 'ListTasks', { pageSize: 0 }, MALFORMED],
    ['a broken position', 'ListTasks', { pageToken: 'x' }, MALFORMED],
    ['a state that is none', 'ListTasks', { status: 'TASK_STATE_ASLEEP' }, MALFORMED],
    ['a time that is none', 'ListTasks', { statusTimestampAfter: 'yesterday' }, MALFORMED],
    ['a time before all others', 'ListTasks', { statusTimestampAfter: '-100000-01-01T00:00:00Z' }, MALFORMED],
    ['an extended card', 'GetExtendedAgentCard', undefined, UNSUPPORTED],
    ['notifications of an unknown task', 'CreateTaskPushNotificationConfig', PUSH, NOT_FOUND],
    ['notifications of version 0.3 without an address', 'tasks/pushNotificationConfig/set', PUSH, MALFORMED],
    ['what is no method', 'DropTasks', {}, NO_SUCH_METHOD],
    ['what was no method', 'tasks/drop', {}, NO_SUCH_METHOD],
    [
      'a message of version 0.3 without parts',
      'message/send',
      { message: { messageId: 'm', kind: 'message', role: 'user' } },
      MALFORMED,
    ],
  ])('is refused by an error of the protocol when it asks for %s', async (_what, method, params, code) => {
    const { status, json } = await ask(method, params);
    expect([status, json.id, json.error?.code]).toEqual([200, 7, code]);
    expect(json.error?.message).toMatch(/\w/);
    const { rows } = await served.api.database.system.query('select from turns where org_id = $1', [user.orgId]);
    expect(rows).toEqual([]);
  });

  test('is refused by an error of the protocol when it asks for a history below nothing', async () => {
    const [historyLength, id] = [-1, randomUUID()];
    for (const [method, params] of [
      ['SendMessage', { ...messageWith(), configuration: { ...LEFT, historyLength } }],
      ['GetTask', { id, historyLength }],
      ['tasks/get', { id, historyLength }],
      ['ListTasks', { historyLength }],
    ] as const)
      expect([method, (await ask(method, params)).json.error?.code]).toEqual([method, MALFORMED]);
    expect((await ask('ListTasks', {})).json.result).toMatchObject({ totalSize: 0 });
  });

  test('is refused by an error of the protocol when it is of a version that is not spoken', async () => {
    for (const [version, method, code] of [
      ['2.0', 'GetTask', NO_SUCH_VERSION],
      ['0.2', 'tasks/get', NO_SUCH_VERSION],
      ['nonsense', 'GetTask', NO_SUCH_VERSION],
      ['1.0', 'tasks/get', NO_SUCH_METHOD],
      ['0.3', 'GetTask', NO_SUCH_METHOD],
    ] as const) {
      const { status, json } = await ask(method, { id: randomUUID() }, { 'a2a-version': version });
      expect([version, status, json.error?.code]).toEqual([version, 200, code]);
    }
  });

  test('gives the agent text and data as one message, in a chat that its context names', async () => {
    const parts = [{ text: 'Look at this:' }, { data: { city: 'Bern', days: [1, 2] } }];
    const sent = (await ask('SendMessage', messageWith({ parts }))).json.result as {
      task: { contextId: string; id: string; status: { state: string } };
    };
    expect(sent.task.status.state).toBe('TASK_STATE_SUBMITTED');
    const { contextId } = sent.task;
    const [message] = (await user.client.get<{ content: string }[]>(`/api/chats/${contextId}/messages`)).json;
    expect(message?.content).toBe('Look at this:\n\n{\n  "city": "Bern",\n  "days": [\n    1,\n    2\n  ]\n}');
    const ofOther = await createChat(user.client);
    expect((await ask('SendMessage', messageWith({ contextId: ofOther }))).json.error?.code).toBe(MALFORMED);
    const again = (await ask('SendMessage', messageWith({ contextId }))).json.result as typeof sent;
    expect([again.task.contextId, again.task.id === sent.task.id]).toEqual([contextId, false]);
  });

  test.each([
    ['SendMessage', { messageId: 'm', role: 'ROLE_USER' }, {}],
    ['message/send', { messageId: 'm', kind: 'message', role: 'user' }, { kind: 'data' }],
  ])('gives the agent the numbers of its data as they came: %s', async (method, message, part) => {
    const data = '{"id":1234567890123456789,"price":1.10,"above":1e400}';
    const configuration = { ...LEFT, blocking: false, historyLength: 'LENGTH' };
    const written = { '"DATA"': data, '"LENGTH"': '1.0', '"ID"': '7.0' };
    const params = { message: { ...message, parts: [{ ...part, data: 'DATA' }] }, configuration };
    const body = Object.entries(written).reduce(
      (json, [name, number]) => json.replace(name, number),
      JSON.stringify({ jsonrpc: '2.0', id: 'ID', method, params }),
    );
    const answer = await user.client.send<RpcAnswer>('POST', pathOf(), body);
    expect([answer.status, answer.json.id, answer.json.error]).toEqual([200, 7, undefined]);
    expect(JSON.stringify(answer.json.result)).toContain('"history":[{');
    const { rows } = await served.api.database.system.query<{ content: string }>(
      "select content from messages where org_id = $1 and role = 'user'",
      [user.orgId],
    );
    expect(rows.map(({ content }) => content.replaceAll(/\s/g, ''))).toEqual([data]);
  });

  test('that a limit refuses is answered with its status, in the form of JSON-RPC', async () => {
    const { json } = await ask('SendMessage', messageWith());
    const { contextId } = (json.result as { task: { contextId: string } }).task;
    for (let open = 1; open < 100; open += 1) await ask('SendMessage', messageWith({ contextId }));
    const full = await ask('SendMessage', messageWith({ contextId }));
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '5']);
    expect(full.json).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining('unanswered') } });
  });
});
