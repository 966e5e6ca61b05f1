import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createChat } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

interface SubAgent {
  readonly task_id: string;
  readonly agent_name: string;
  readonly sub_chat_id: string;
  readonly status: string;
  readonly output: string;
}
interface Detail {
  readonly name: string;
  readonly status: string;
  readonly result: string;
}
interface Metadata {
  readonly status: string;
  readonly tool_calls_detail: readonly Detail[];
  readonly sub_agents: readonly SubAgent[];
}

const spawn = (agent: string, task: string, form = 'tool') =>
  `[[${form} agent_spawn ${JSON.stringify({ agent, task })}]]`;

/** The newest message of a request. */
function lastText(messages: readonly { content?: unknown }[]): string {
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : '';
}

/** A chat whose agent may hand work to the agents `names`. */
async function lead(names: readonly string[], agent: Record<string, unknown> = {}) {
  chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: ['agent_spawn'], ...agent } });
  for (const name of names) await createAgent(chat.user.client, { name, tools: ['agent_spawn'], max_subagents: 30 });
  return chat.connect();
}

async function ask(content: string, names: readonly string[], agent?: Record<string, unknown>) {
  const socket = await lead(names, agent);
  socket.send({ type: 'message', content, client_message_id: 'first' });
  const end = await socket.waitForEnd();
  return { socket, end, metadata: end['metadata'] as Metadata };
}

describe.each(['tool', 'fence'])('work handed out as a %s', (form) => {
  test('is done by a sub-agent in a chat of its own, which takes no messages, and its output reaches the parent', async () => {
    const { socket, end, metadata } = await ask(
      `${spawn('Scout', '[[say found it]]', form)} [[then]] [[say thanks]] ${form}`,
      ['Scout'],
    );
    expect(end).toMatchObject({ type: 'stream_end', content: expect.stringMatching(/thanks$/) });
    expect(metadata.tool_calls_detail).toMatchObject([{ name: 'agent_spawn', status: 'success', result: 'found it' }]);
    const [sub] = metadata.sub_agents;
    expect(sub).toMatchObject({ agent_name: 'Scout', status: 'completed', output: 'found it' });
    const start = socket.frames.find(({ type }) => type === 'sub_agent_start');
    const done = socket.frames.find(({ type }) => type === 'sub_agent_done');
    expect(start).toMatchObject({ task_id: sub?.task_id, agent_name: 'Scout', sub_chat_id: sub?.sub_chat_id });
    expect(done).toMatchObject({
      task_id: sub?.task_id,
      output: 'found it',
      status: 'completed',
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    const { json } = await chat.user.client.get<{ content: string }[]>(`/api/chats/${sub?.sub_chat_id}/messages`);
    expect(json.map(({ content }) => content)).toEqual(['[[say found it]]', 'found it']);
    const list = await chat.user.client.get<{ id: string }[]>('/api/chats');
    expect(list.json.map(({ id }) => id)).not.toContain(sub?.sub_chat_id);
    const refused = await chat.user.client.post(`/api/chats/${sub?.sub_chat_id}/stream`, { content: 'hi' });
    expect(refused).toMatchObject({ status: 409, json: { detail: expect.stringContaining('sub-agent') } });
  });
});

test('a tree of agents goes no deeper than three levels, and the agent there is told', async () => {
  const deep = (level: number): string =>
    level === 5
      ? '[[say bottom]]'
      : `${spawn(level % 2 === 0 ? 'Even' : 'Odd', deep(level + 1))} [[then]] [[say back ${level}]]`;
  const { end } = await ask(deep(1), ['Even', 'Odd']);
  expect(end).toMatchObject({ type: 'stream_end', content: 'back 1' });
  const requests = instance.model.requests.filter(({ messages }) => JSON.stringify(messages).includes('deeper than 3'));
  expect(requests.length).toBeGreaterThan(0);
});

describe('a call of agent_spawn', () => {
  test.each([
    ['an agent that does not exist', () => spawn('Nobody', 'x'), 'no agent'],
    ['the agent itself', () => spawn('Lead', 'x'), 'itself'],
    ['nothing', () => '[[tool agent_spawn {}]]', 'agent'],
  ])('that names %s is an error that the model can act on', async (_what, call, words) => {
    const { end, metadata } = await ask(`${call()} [[then]] [[say alone]]`, ['Scout']);
    expect(end).toMatchObject({ type: 'stream_end', content: 'alone' });
    expect(metadata.tool_calls_detail).toMatchObject([{ status: 'error', result: expect.stringContaining(words) }]);
    expect(metadata.sub_agents).toEqual([]);
  });

  test('beyond max_subagents is refused', async () => {
    const calls = [1, 2, 3].map((n) => spawn('Scout', `[[say ${n}]]`)).join(' ');
    const { metadata } = await ask(`${calls} [[then]] [[say done]]`, ['Scout'], { max_subagents: 2 });
    expect(metadata.tool_calls_detail.map(({ status }) => status)).toEqual(['success', 'success', 'error']);
  });

  test('whose sub-agent fails tells why', async () => {
    const { end, metadata } = await ask(`${spawn('Scout', '[[status 400]]')} [[then]] [[say went on]]`, ['Scout']);
    expect(end).toMatchObject({ type: 'stream_end', content: 'went on' });
    expect(metadata.tool_calls_detail).toMatchObject([
      { status: 'error', result: expect.stringContaining('The sub-agent failed') },
    ]);
  });
});

test('a sub-agent that is interrupted by itself hands back what it had, and the parent goes on', async () => {
  const socket = await lead(['Scout']);
  socket.send({
    type: 'message',
    content: `${spawn('Scout', '[[hold never after 2 chunks]] sub')} [[then]] [[say on]]`,
  });
  const start = await socket.waitFor('sub-agent', ({ type }) => type === 'sub_agent_start');
  await instance.model.waitForRequest(
    ({ messages, chunksSent }) => chunksSent > 1 && lastText(messages).endsWith('sub'),
  );
  const { status } = await chat.user.client.post(`/api/chats/${String(start['sub_chat_id'])}/interrupt`);
  expect(status).toBe(200);
  const end = await socket.waitForEnd();
  expect(end).toMatchObject({ type: 'stream_end', content: 'on' });
  expect((end['metadata'] as Metadata).tool_calls_detail).toMatchObject([
    { status: 'interrupted', result: expect.stringContaining('w1 w2') },
  ]);
});

test('an interrupt of the root stops sub-agents three levels deep, and the next message is answered', async () => {
  const socket = await lead(['Even', 'Odd']);
  const deepest = '[[hold never after 2 chunks]] deepest';
  const content = spawn('Even', `${spawn('Odd', `${spawn('Even', deepest)} [[then]] [[say c]]`)} [[then]] [[say b]]`);
  socket.send({ type: 'message', content: `${content} [[then]] [[say a]]` });
  await instance.model.waitForRequest(
    ({ messages, chunksSent }) => chunksSent > 1 && messages.at(-1)?.content === deepest,
  );
  await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
  const end = await socket.waitForEnd();
  expect(end).toMatchObject({ type: 'stream_end', metadata: { status: 'interrupted' } });
  const starts = socket.frames.filter(({ type }) => type === 'sub_agent_start');
  expect(starts).toHaveLength(3);
  expect(socket.frames.filter(({ type }) => type === 'sub_agent_done')).toHaveLength(3);
  socket.send({ type: 'message', content: '[[say next]]' });
  expect(await socket.waitForEnd(2)).toMatchObject({ content: 'next' });
});

test('an interrupt stops sub-agents that work beside each other, and the message that waits is answered once', async () => {
  const socket = await lead(['Scout'], { max_concurrency: 3 });
  const tasks = ['one', 'two', 'three'].map((task) => `[[hold never after 2 chunks]] ${task}`);
  const spawns = tasks.map((task) => spawn('Scout', task)).join(' ');
  socket.send({ type: 'message', content: `${spawns} [[then]] [[say never]]` });
  for (const task of tasks) {
    await instance.model.waitForRequest(
      ({ messages, chunksSent }) => chunksSent > 1 && messages.at(-1)?.content === task,
    );
  }
  socket.send({ type: 'message', content: '[[say waited]]' });
  socket.send({ type: 'interrupt' });
  const end = await socket.waitForEnd();
  expect(end).toMatchObject({ type: 'stream_end', metadata: { status: 'interrupted' } });
  expect((end['metadata'] as Metadata).sub_agents.map(({ status }) => status)).toEqual(tasks.map(() => 'interrupted'));
  expect(await socket.waitForEnd(2)).toMatchObject({ content: 'waited', metadata: { status: 'completed' } });
  expect(instance.model.requests.filter(({ messages }) => lastText(messages) === '[[say waited]]')).toHaveLength(1);
});

test('an agent that is deleted before its sub-agent begins leaves a clear message', async () => {
  const socket = await lead(['Scout'], { max_concurrency: 1 });
  const { json } = await chat.user.client.get<{ id: string; name: string }[]>('/api/agents');
  const scout = json.find(({ name }) => name === 'Scout')?.id ?? '';
  const blocked = spawn('Scout', '[[hold first after 1 chunks]] number-one');
  socket.send({ type: 'message', content: `${blocked} ${spawn('Scout', '[[say two]]')} [[then]] [[say end]]` });
  await instance.model.waitForRequest(
    ({ messages, chunksSent }) => chunksSent > 0 && lastText(messages).endsWith('number-one'),
  );
  await chat.user.client.delete(`/api/agents/${scout}`);
  instance.model.release('first');
  const end = await socket.waitForEnd();
  expect((end['metadata'] as Metadata).tool_calls_detail).toMatchObject([{ status: 'success' }, { status: 'error' }]);
  expect((end['metadata'] as Metadata).tool_calls_detail[1]?.result).toContain('was deleted');
  await waitUntil('the sub-agent', () =>
    socket.frames.some(({ type }) => type === 'sub_agent_done') ? true : undefined,
  );
});

test('an agent of another organization cannot be named', async () => {
  const stranger = await OpenChat.create(instance, { agent: { name: 'Foreign' } });
  const foreignId = await createAgent(stranger.user.client, { name: 'Foreign two' });
  await createChat(stranger.user.client, foreignId);
  const { metadata } = await ask(`${spawn(foreignId, 'x')} ${spawn('Foreign', 'x')} [[then]] [[say no]]`, []);
  expect(metadata.tool_calls_detail.map(({ status }) => status)).toEqual(['error', 'error']);
  stranger.close();
});
