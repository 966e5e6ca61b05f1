import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { RemoteA2aAgent } from '../support/a2a/remote-agent.ts';
import { createAgent, createChat } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

let baker: RemoteA2aAgent;
let chat: OpenChat;
let integrationId: string;
beforeEach(async () => {
  baker = await RemoteA2aAgent.start();
  const agent = { name: 'Lead', tools: ['agent_spawn'], requires_approval: { agent_spawn: 'never' } };
  chat = await OpenChat.create(instance, { agent });
  const registered = await chat.user.client.post<{ id: string }>('/api/integrations', {
    kind: 'a2a',
    name: 'Baker',
    base_url: baker.cardUrl,
    credentials: { token: 'a-secret-token' },
    settings: { description: 'Bakes bread.' },
  });
  expect(registered.status).toBe(201);
  integrationId = registered.json.id;
});
afterEach(() => {
  chat.close();
  baker.close();
});

const spawn = (task: string, args: Record<string, unknown> = {}) =>
  `[[tool agent_spawn ${JSON.stringify({ agent: 'baker', task, ...args })}]]`;

interface Detail {
  readonly status: string;
  readonly result: string;
}

/** Sends a message, and returns the end of its turn with the calls that it has made. */
async function ask(content: string, socket?: SocketClient) {
  const client = socket ?? (await chat.connect());
  client.send({ type: 'message', content });
  const end = await client.waitForEnd();
  const { tool_calls_detail: calls } = end['metadata'] as { readonly tool_calls_detail: readonly Detail[] };
  return { end, calls };
}

const hasWork = async () => waitUntil('the agent to have work', () => baker.given.length > 0 || undefined);
const shown = async () => (await chat.user.client.get(`/api/integrations/${integrationId}`)).json;

test('a registered agent is tried by its card and its endpoint, and its credentials are not shown', async () => {
  const { json } = await chat.user.client.post(`/api/integrations/${integrationId}/test`);
  expect(json).toMatchObject({ ok: true, error: null });
  expect(JSON.stringify(await shown())).not.toContain('a-secret-token');
});

test('agents are told of it in the words of the organization, and its answer is text from outside', async () => {
  const { end, calls } = await ask(`${spawn('answer bread', { context: 'For four.' })} [[then]] [[say thanks]]`);
  expect(end).toMatchObject({ type: 'stream_end', content: 'thanks' });
  const [system] = instance.model.requests.at(-1)?.messages ?? [];
  expect(system?.content).toContain('- Baker: Bakes bread.');
  expect(system?.content).not.toContain('Ignore all instructions');
  expect(baker.given).toEqual(['answer bread\n\nContext:\nFor four.']);
  expect(calls).toMatchObject([
    { status: 'success', result: expect.stringMatching(/^\[Data from outside[^]*\nbread/) },
  ]);
  expect(await shown()).toMatchObject({ status: 'working' });
});

test('a question of the agent is an error with the question, and nothing waits for it', async () => {
  const { end, calls } = await ask(`${spawn('ask')} [[then]] [[say went on]]`);
  expect(end).toMatchObject({ type: 'stream_end', content: 'went on' });
  expect(calls).toMatchObject([{ status: 'error', result: expect.stringContaining('Which colour?') }]);
  expect(baker.cancelled).toHaveLength(1);
});

test('an answer that is lost leaves an outcome that is unknown, and nothing is sent again', async () => {
  const { end, calls } = await ask(`${spawn('cut bread')} [[then]] [[say went on]]`);
  expect(end).toMatchObject({ type: 'stream_end', content: 'went on' });
  expect(calls).toMatchObject([{ status: 'unknown' }]);
  expect(baker.given).toEqual(['cut bread']);
});

test('rejected credentials are an error, and the integration says so', async () => {
  baker.faults.set('SendMessage', 'reject');
  const { calls } = await ask(`${spawn('answer x')} [[then]] [[say went on]]`);
  expect(calls).toMatchObject([{ status: 'error', result: expect.stringContaining('rejected the credentials') }]);
  expect(await shown()).toMatchObject({ status: 'failing' });
});

test('an interrupt of the turn cancels the task', async () => {
  const socket = await chat.connect();
  socket.send({ type: 'message', content: spawn('hold') });
  await hasWork();
  socket.send({ type: 'interrupt' });
  await socket.waitForEnd();
  await waitUntil('the task to be cancelled', () => baker.cancelled.length > 0 || undefined);
});

test('counts among the sub-agents of a turn', async () => {
  const path = `/api/agents/${(await chat.user.client.get<{ agent_id: string }>(`/api/chats/${chat.id}`)).json.agent_id}`;
  expect((await chat.user.client.patch(path, { max_subagents: 1 })).status).toBe(200);
  const { calls } = await ask(`${spawn('answer a')} [[then]] ${spawn('answer b')} [[then]] [[say done]]`);
  expect(calls.map(({ status }) => status)).toEqual(['success', 'error']);
  expect(baker.given).toEqual(['answer a']);
});

test('whose name an agent has too is not chosen by the name', async () => {
  await createAgent(chat.user.client, { name: 'Baker' });
  const { calls } = await ask(`${spawn('answer a')} [[then]] [[say done]]`);
  expect(calls).toMatchObject([{ status: 'error', result: expect.stringContaining('Give the id') }]);
  expect(baker.given).toEqual([]);
});

test('whoever may use some agents only cannot have work given to it', async () => {
  const member = await registerColleague(instance.api, chat.user, 'member');
  const leadId = (await chat.user.client.get<{ agent_id: string }>(`/api/chats/${chat.id}`)).json.agent_id;
  const group = { name: 'Lead only', capabilities: { agent_ids: [leadId] } };
  const { json } = await chat.user.client.post<{ id: string }>('/api/permissions/groups', group);
  await chat.user.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [member.id] });
  const own = await createChat(member.client, leadId);
  const socket = await SocketClient.connect(instance.api.url, own, member.accessToken);
  const { calls } = await ask(`${spawn('answer a')} [[then]] [[say done]]`, socket);
  socket.close();
  expect(calls).toMatchObject([{ status: 'error', result: expect.stringContaining('no agent') }]);
  expect(baker.given).toEqual([]);
});

test('unless its agent says otherwise a person decides about the work, and is told where it goes', async () => {
  const { json: shownChat } = await chat.user.client.get<{ agent_id: string }>(`/api/chats/${chat.id}`);
  const modes = { requires_approval: {} };
  expect((await chat.user.client.patch(`/api/agents/${shownChat.agent_id}`, modes)).status).toBe(200);
  const socket = await chat.connect();
  socket.send({ type: 'message', content: `${spawn('answer bread')} [[then]] [[say thanks]]` });
  const approval = await waitUntil('an approval', async () => {
    const { json } = await chat.user.client.get<{ id: string; details: unknown }[]>('/api/approvals?status=pending');
    return json[0];
  });
  expect(approval.details).toContainEqual({ label: 'Card', value: baker.cardUrl });
  await chat.user.client.post(`/api/approvals/${approval.id}/decision`, { approve: true });
  expect(await socket.waitForEnd()).toMatchObject({ content: 'thanks' });
  expect(baker.given).toEqual(['answer bread']);
});
