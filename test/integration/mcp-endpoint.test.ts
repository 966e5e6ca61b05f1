import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parseExactJson } from '../../domain/core/exact-json.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { join } from '../support/invitations.ts';
import { connectMcpClient, type ConnectedClient, MCP_CLIENTS, type McpClientKind } from '../support/mcp/mcp-clients.ts';
import { messagesIn, RawMcp } from '../support/mcp/raw-mcp.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { ShownMessage } from './open-chat.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

let user: TestUser;
let key: { readonly id: string; readonly key: string };
let clients: ConnectedClient[];
beforeEach(async () => {
  clients = [];
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  await createAgent(user.client, { name: 'Helper', description: 'Helps.' });
  key = (await user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' })).json;
});
afterEach(async () => {
  await Promise.all(clients.map(async (client) => client.close()));
});

async function connect(kind?: McpClientKind, token = key.key, url = instance.api.url) {
  const client = await connectMcpClient(url, token, kind);
  clients.push(client);
  return client;
}

const chats = async () => (await user.client.get<{ id: string }[]>('/api/chats')).json;
const messagesOf = async (id: string) => (await user.client.get<ShownMessage[]>(`/api/chats/${id}/messages`)).json;
const refOf = ({ data }: { data: Readonly<Record<string, unknown>> }) => ({
  chat_id: String(data['chat_id']),
  turn_id: String(data['turn_id']),
});
const begun = async () =>
  waitUntil('the message', async () => {
    const [chat] = await chats();
    return chat !== undefined && (await messagesOf(chat.id)).length > 0 ? chat.id : undefined;
  });
const ended = async () => {
  const [chat] = await chats();
  return waitUntil('the turn to end', async () => (await messagesOf(chat?.id ?? ''))[1]);
};

describe.each(MCP_CLIENTS)('the official client, %s', (kind) => {
  test('is offered the tools, and asks an agent, twice in one conversation', async () => {
    const client = await connect(kind);
    expect(client.version).toMatch(kind === '2026' ? /^2026-/ : /^2025-/);
    expect(await client.tools()).toEqual([
      'list_agents',
      'ask_agent',
      'get_turn',
      'interrupt_turn',
      'list_workflows',
      'start_workflow',
      'get_workflow_run',
    ]);
    expect((await client.call('list_agents')).data).toEqual({
      agents: [{ id: expect.any(String), name: 'Helper', description: 'Helps.' }],
    });
    const first = await client.call('ask_agent', { agent: 'Helper', message: '[[say first]]' });
    expect(first).toMatchObject({ isError: false, text: 'first', data: { status: 'completed', answer: 'first' } });
    const { chat_id } = refOf(first);
    const second = await client.call('ask_agent', { chat_id, message: '[[say second]]' });
    expect([second.text, refOf(second).chat_id]).toEqual(['second', chat_id]);
    expect((await messagesOf(chat_id)).map(({ content }) => content)).toEqual([
      '[[say first]]',
      'first',
      '[[say second]]',
      'second',
    ]);
    expect((await client.call('get_turn', refOf(first))).data).toEqual(first.data);
    const cut = await client.call('ask_agent', { agent: 'Helper', message: '[[length]] a b' });
    expect(cut).toMatchObject({ isError: false, text: expect.stringContaining('token limit'), data: { is_cut: true } });
  });

  test('is told how far the agent is, and what it has answered', async () => {
    const client = await connect(kind);
    const notes: (string | undefined)[] = [];
    const message = `[[hold told-${kind} after 2 chunks]] w1 w2 w3 w4`;
    const answer = client.call(
      'ask_agent',
      { agent: 'Helper', message },
      { onprogress: (note) => notes.push(note.message) },
    );
    await waitUntil('a note of progress', () => notes.length > 0 || undefined);
    instance.model.release(`told-${kind}`);
    expect((await answer).text).toContain('w4');
    expect(notes.join(' ')).toMatch(/\w/);
  });

  test('cancels a call, which interrupts the turn', async () => {
    const client = await connect(kind);
    const cancel = new AbortController();
    const message = `[[hold cancelled-${kind} after 2 chunks]] w1 w2 w3 w4`;
    const args = { agent: 'Helper', message };
    const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
    await expect(client.call('ask_agent', args, options)).rejects.toThrow();
    expect((await ended()).metadata_['status']).toBe('interrupted');
  });
});

describe('a call whose client is gone', () => {
  test('goes on with a client_message_id, makes one turn however often it is sent, and answers later', async () => {
    const client = await connect();
    const gone = new AbortController();
    const args = { agent: 'Helper', message: '[[hold gone after 2 chunks]] w1 w2 w3 w4', client_message_id: 'm-1' };
    const options = { signal: gone.signal, onprogress: () => gone.abort() };
    await expect(client.call('ask_agent', args, options)).rejects.toThrow();
    const waiting = await client.call('ask_agent', { ...args, wait_seconds: 0 });
    expect(waiting).toMatchObject({ isError: false, data: { status: 'running', answer: null } });
    instance.model.release('gone');
    const answered = await client.call('ask_agent', args);
    expect([refOf(answered), answered.data['status']]).toEqual([refOf(waiting), 'completed']);
    expect(answered.text).toContain('w4');
    expect(await chats()).toHaveLength(1);
    expect(await messagesOf(refOf(answered).chat_id)).toHaveLength(2);
    const other = await client.call('ask_agent', { ...args, message: 'Something else' });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('another conversation') });
  });

  test('goes on when the client of 2025 hangs up, which is no cancellation there', async () => {
    const raw = new RawMcp(instance.api.url, key.key);
    const hangUp = new AbortController();
    const args = { agent: 'Helper', message: '[[hold hung-up after 2 chunks]] w1 w2 w3 w4' };
    const answer = await raw.call('ask_agent', args, { signal: hangUp.signal });
    await messagesIn(answer).next();
    hangUp.abort();
    instance.model.release('hung-up');
    expect(await ended()).toMatchObject({ content: expect.stringContaining('w4'), metadata_: { status: 'completed' } });
  });

  test.each(['2026', '2025'] as const)(
    'goes on when the process ends at which the client of %s waits',
    async (kind) => {
      const api = await instance.addApi();
      const client = await connect(kind, key.key, api.url);
      const notified = Promise.withResolvers<void>();
      const args = { agent: 'Helper', message: `[[hold ends-${kind} after 2 chunks]] w1 w2 w3 w4` };
      const lost = client.call('ask_agent', args, { onprogress: () => notified.resolve() }).catch(() => undefined);
      await notified.promise;
      await api.close();
      instance.model.release(`ends-${kind}`);
      const answer = await ended();
      expect(answer).toMatchObject({ content: expect.stringContaining('w4'), metadata_: { status: 'completed' } });
      const [chat] = await chats();
      const turn = { chat_id: chat?.id, turn_id: answer.metadata_['turn_id'] };
      expect((await (await connect(kind)).call('get_turn', turn)).text).toBe(answer.content);
      await client.close();
      await lost;
    },
  );

  test('is interrupted by a cancellation that reaches another process, and by none of another session or user', async () => {
    const other = await instance.addApi();
    const [here, there] = [new RawMcp(instance.api.url, key.key), new RawMcp(other.url, key.key)];
    const [session, foreign] = [await here.openSession(), await there.openSession()];
    const headers = { 'mcp-session-id': session };
    const args = { agent: 'Helper', message: '[[hold elsewhere after 2 chunks]] w1 w2 w3 w4' };
    const messages = messagesIn(await here.call('ask_agent', args, { id: 7, headers }));
    await messages.next();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const colleague = new RawMcp(other.url, (await join(user)).accessToken);
    expect((await there.send(cancel, { 'mcp-session-id': foreign })).status).toBe(202);
    expect((await there.send(cancel)).status).toBe(202);
    expect((await colleague.send(cancel, headers)).status).toBe(202);
    const asked = await instance.api.database.system.query(
      'select interrupt_requested_at from turns where org_id = $1 and interrupt_requested_at is not null',
      [user.orgId],
    );
    expect(asked.rows).toEqual([]);
    expect((await there.send(cancel, headers)).status).toBe(202);
    expect((await ended()).metadata_['status']).toBe('interrupted');
    const left = [];
    for await (const message of messages) left.push(message);
    expect(left.filter((message) => 'result' in message || 'error' in message)).toEqual([]);
  });

  test.each([
    ['that asks for progress', { _meta: { progressToken: 7 } }],
    ['that asks for none', {}],
  ])('a call %s is answered when another way than a cancellation stops its turn', async (_what, more) => {
    const raw = new RawMcp(instance.api.url, key.key);
    const headers = { 'mcp-session-id': await raw.openSession() };
    const args = { agent: 'Helper', message: '[[hold otherwise after 2 chunks]] w1 w2 w3 w4' };
    const params = { name: 'ask_agent', arguments: args, ...more };
    const answer = raw.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers);
    await user.client.post(`/api/chats/${await begun()}/interrupt`);
    expect(await (await answer).text()).toContain('interrupted');
  });

  test('is not answered once it is cancelled, also when it asks for no progress', async () => {
    const raw = new RawMcp(instance.api.url, key.key);
    const headers = { 'mcp-session-id': await raw.openSession() };
    const args = { agent: 'Helper', message: '[[hold quiet after 2 chunks]] w1 w2 w3 w4' };
    const params = { name: 'ask_agent', arguments: args };
    const answer = raw.send({ jsonrpc: '2.0', id: 8, method: 'tools/call', params }, headers);
    await begun();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } };
    await raw.send(cancel, headers);
    expect(await (await answer).text()).not.toMatch(/result|error/);
    expect((await ended()).metadata_['status']).toBe('interrupted');
  });
});

describe('a turn', () => {
  test('that fails is an error with its reason, and one that is not waited for is found later and can be stopped', async () => {
    const client = await connect();
    const failed = await client.call('ask_agent', { agent: 'Helper', message: '[[status 400]]' });
    expect(failed).toMatchObject({ isError: true, text: expect.stringMatching(/\w/), data: { status: 'failed' } });
    const args = { agent: 'Helper', message: '[[hold stopped after 2 chunks]] w1 w2', wait_seconds: 0 };
    const begun = await client.call('ask_agent', args);
    expect(begun).toMatchObject({ isError: false, text: expect.stringContaining('get_turn') });
    expect((await client.call('interrupt_turn', refOf(begun))).data).toEqual({ was_running: true });
    expect((await client.call('get_turn', refOf(begun))).data['status']).toBe('interrupted');
    expect((await client.call('interrupt_turn', refOf(begun))).data).toEqual({ was_running: false });
  });

  test('behind another one is stopped alone', async () => {
    const client = await connect();
    const ask = async (args: object) => client.call('ask_agent', { ...args, wait_seconds: 0 });
    const first = await ask({ agent: 'Helper', message: '[[hold alone after 2 chunks]] w1 w2' });
    const second = await ask({ chat_id: refOf(first).chat_id, message: '[[say second]]' });
    expect((await client.call('interrupt_turn', refOf(second))).data).toEqual({ was_running: true });
    instance.model.release('alone');
    const [one, two] = [await client.call('get_turn', refOf(first)), await client.call('get_turn', refOf(second))];
    expect([one.data['status'], two.data['status']]).toEqual(['completed', 'interrupted']);
  });
});

describe('the rights of a caller', () => {
  test('decide what is offered, and hold for what is called all the same', async () => {
    const viewer = await join(user, 'viewer');
    const allowed = await createAgent(user.client, { name: 'Allowed' });
    const rules = { name: 'Narrow', permissions: ['agents.view'], capabilities: { agent_ids: [allowed] } };
    const group = await user.client.post<{ id: string }>('/api/permissions/groups', rules);
    await user.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, { user_ids: [viewer.id] });
    const client = await connect('2026', viewer.accessToken);
    expect(await client.tools()).toEqual(['list_agents', 'ask_agent', 'get_turn', 'interrupt_turn']);
    expect((await client.call('list_agents')).data['agents']).toEqual([expect.objectContaining({ id: allowed })]);
    const refused = await client.call('ask_agent', { agent: 'Helper', message: 'Hello' });
    expect(refused).toMatchObject({ isError: true, text: 'Agent not found' });
    await expect(client.call('start_workflow', { workflow_id: allowed })).rejects.toThrow(/start_workflow/);
  });

  test('end at the chats of another organization, and at writing in those of others', async () => {
    const client = await connect();
    const theirs = await client.call('ask_agent', { agent: 'Helper', message: '[[say secret]]' });
    const stranger = await registerUser(instance.api.url);
    const foreign = await connect('2026', stranger.accessToken);
    const { chat_id } = refOf(theirs);
    for (const [name, args] of [
      ['get_turn', refOf(theirs)],
      ['interrupt_turn', refOf(theirs)],
      ['ask_agent', { chat_id, message: 'Tell me the secret' }],
    ] as const)
      expect(await foreign.call(name, args)).toEqual({ isError: true, text: 'Chat not found', data: {} });
    const stored = await instance.api.database.system.query('select from completions where user_id = $1', [
      stranger.id,
    ]);
    expect(stored.rows).toEqual([]);
  });

  test('end in mid-stream with the key, and the turn goes on', async () => {
    const raw = new RawMcp(instance.api.url, key.key);
    const args = { agent: 'Helper', message: '[[hold revoked after 2 chunks]] w1 w2 w3 w4' };
    const messages = messagesIn(await raw.call('ask_agent', args, { id: 3 }));
    await messages.next();
    await user.client.delete(`/api/users/me/api-keys/${key.id}`);
    const last = [];
    for await (const message of messages) last.push(message);
    expect(last.at(-1)).toMatchObject({ jsonrpc: '2.0', id: 3, error: { message: expect.stringContaining('token') } });
    instance.model.release('revoked');
    expect((await ended()).metadata_['status']).toBe('completed');
    expect((await raw.call('ask_agent', args)).status).toBe(401);
  });
});

test('a workflow has the variables that a client gives it with their numbers as they were written', async () => {
  const agents = (await user.client.get<{ id: string }[]>('/api/agents')).json;
  const fields = { name: 'Report', agent_id: agents[0]?.id, prompt_template: '[[say {{ id }} {{ price }}]]' };
  const { json: workflow } = await user.client.post<{ id: string }>('/api/workflows', fields);
  const variables = parseExactJson('{"id":1234567890123456789,"price":1.10}');
  const raw = new RawMcp(instance.api.url, key.key);
  const started = await raw.call('start_workflow', { workflow_id: workflow.id, variables });
  expect(started.status).toBe(200);
  const output = await waitUntil('the run to end', async () => {
    const runs = await user.client.get<{ output: string | null }[]>(`/api/workflows/${workflow.id}/runs`);
    return runs.json[0]?.output ?? undefined;
  });
  expect(output).toBe('1234567890123456789 1.10');
});

test('a workflow is listed, started once for a key, and read, and the audit log knows who has started it', async () => {
  const agents = (await user.client.get<{ id: string }[]>('/api/agents')).json;
  const fields = { name: 'Report', agent_id: agents[0]?.id, prompt_template: '[[say About {{ topic }}]]' };
  const { json: workflow } = await user.client.post<{ id: string }>('/api/workflows', fields);
  const client = await connect();
  const listed = await client.call('list_workflows');
  expect(listed.data).toEqual({ total: 1, workflows: [{ id: workflow.id, name: 'Report', variables: ['topic'] }] });
  const args = { workflow_id: workflow.id, variables: { topic: 'rain' }, idempotency_key: 'k-1' };
  const [first, second] = [await client.call('start_workflow', args), await client.call('start_workflow', args)];
  expect(second.data).toEqual(first.data);
  const run = await waitUntil('the run to end', async () => {
    const read = await client.call('get_workflow_run', first.data);
    return read.data['status'] === 'completed' ? read : undefined;
  });
  expect(run.data).toMatchObject({ output: 'About rain', steps: [{ status: 'completed', output: 'About rain' }] });
  const audited = await waitUntil('both entries of the audit log', async () => {
    const { rows } = await instance.api.database.system.query(
      "select record_id from audit_log where org_id = $1 and action = 'workflows.trigger' and outcome = 'success'",
      [user.orgId],
    );
    return rows.length > 1 ? rows : undefined;
  });
  expect(audited).toEqual([{ record_id: workflow.id }, { record_id: workflow.id }]);
});

describe('a message that is none of the protocol', () => {
  const rpcError = (code: number, id: unknown = null) => ({
    jsonrpc: '2.0',
    id,
    error: expect.objectContaining({ code, message: expect.stringMatching(/\w/) }),
  });

  test.each([
    ['no JSON', '{"jsonrpc":', 422, -32_700],
    ['nested too deep', `{"jsonrpc":"2.0","params":${'{"a":'.repeat(100)}1${'}'.repeat(101)}`, 422, -32_700],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], 422, -32_600],
    ['of another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 422, -32_600],
    ['without a method', { jsonrpc: '2.0', id: 1 }, 400, -32_600],
    ['too large', { jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(1_100_000) } }, 413, -32_000],
  ])('is answered with an error of JSON-RPC: %s', async (_what, message, status, code) => {
    const answer = await new RawMcp(instance.api.url, key.key).send(message);
    expect([answer.status, await answer.json()]).toEqual([status, rpcError(code)]);
  });

  test.each(['1.0', '1e3'])('is none because of an id that is written as %s', async (id) => {
    const message = `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"_meta":{"progressToken":${id}}}}`;
    const answer = await new RawMcp(instance.api.url, key.key).send(message);
    expect(answer.status).toBe(200);
    expect((await messagesIn(answer).next()).value).toMatchObject({
      id: Number(id),
      result: { tools: expect.any(Array) },
    });
  });

  test('is answered under its id: one that is longer than a client could match', async () => {
    const answer = await new RawMcp(instance.api.url, key.key).send('{"jsonrpc":"2.0","id":1e20,"method":"ping"}');
    expect([answer.status, await answer.json()]).toEqual([400, rpcError(-32_600, 1e20)]);
  });

  test('is refused in words: a method, a tool, arguments or a revision that there is not', async () => {
    const raw = new RawMcp(instance.api.url, key.key);
    const first = async (answer: Response) => (await messagesIn(answer).next()).value as unknown;
    const unknown = await raw.send({ jsonrpc: '2.0', id: 5, method: 'agents/fly' });
    expect(await first(unknown)).toEqual(rpcError(-32_601, 5));
    expect(await first(await raw.call('fly', {}))).toEqual(rpcError(-32_602, 1));
    for (const args of [{}, { message: 7 }, { message: 'x', agent: 'Helper', org_id: user.orgId }, { message: 'x' }])
      expect(await first(await raw.call('ask_agent', args))).toMatchObject({ id: 1, result: { isError: true } });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await raw.send(ping, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await raw.send(ping, { accept: 'text/html' })).status).toBe(406);
    expect(await chats()).toEqual([]);
  });

  test('is refused from a page of another origin, and taken from one of this service', async () => {
    const raw = new RawMcp(instance.api.url, key.key);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const statusOf = async (origin: string) => (await raw.send(ping, { origin })).status;
    expect(await statusOf('https://evil.example.com')).toBe(403);
    expect(await statusOf('null')).toBe(403);
    expect(await statusOf('https://everturn.example.com')).toBe(200);
    expect(await statusOf('http://127.0.0.1:5173')).toBe(200);
  });
});

describe('many clients', () => {
  test('have sessions that no process keeps, and no streams without a request', async () => {
    const raw = new RawMcp(instance.api.url, key.key);
    const sessions = new Set(await Promise.all(Array.from({ length: 20 }, async () => raw.openSession())));
    expect(sessions.size).toBe(20);
    const { api } = instance;
    for (const method of ['GET', 'DELETE']) {
      const answer = await user.client
        .as(key.key)
        .send(method, '/mcp', undefined, { 'mcp-session-id': [...sessions][0] ?? '' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await fetch(`${api.url}/mcp`, { method: 'POST' })).headers.get('www-authenticate')).toBe('Bearer');
  });

  test('of one user hold 50 answers open at most, and the next one is told so', async () => {
    const client = await connect();
    const args = { agent: 'Helper', message: '[[hold many after 2 chunks]] w1 w2', wait_seconds: 0 };
    const turn = refOf(await client.call('ask_agent', args));
    const raw = new RawMcp(instance.api.url, key.key);
    const leave = new AbortController();
    const stalled = await Promise.all(
      Array.from({ length: 50 }, async (_, id) => raw.call('get_turn', turn, { id, signal: leave.signal })),
    );
    expect(stalled.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    const refused = await raw.call('get_turn', turn);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      expect.objectContaining({ jsonrpc: '2.0', id: null }),
    ]);
    leave.abort();
    await waitUntil('a place', async () => (await raw.call('list_agents', {})).status === 200 || undefined);
    instance.model.release('many');
  });
});
