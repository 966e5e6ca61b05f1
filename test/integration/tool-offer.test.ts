import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  createAgent,
  createChat,
  createProvider,
  createTool,
  registerUser,
  type TestUser,
} from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

let instance: TestInstance;
/** Has made the tools: that takes longer than each of the tests, which do not change them. */
let user: TestUser;
beforeAll(async () => {
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  for (let at = 0; at < KEYS.length; at += AT_ONCE) await Promise.all(KEYS.slice(at, at + AT_ONCE).map(addTool));
});
afterAll(async () => instance.close());

let socket: SocketClient;
afterEach(() => socket.close());

interface Call {
  readonly name: string;
  readonly status: string;
  readonly result: string;
}

interface OfferedTool {
  readonly function: { readonly name: string };
}

/** Tools of the organization; one that is called answers a word with its own key. */
const KEYS = Array.from({ length: 41 }, (_, at) => `answer_${String(at).padStart(2, '0')}`);
/** Those that are called. The code of a script is read in a thread of its own, which takes longer than all else. */
const CALLED: ReadonlySet<string> = new Set(KEYS.slice(20, 24));
/** Tools that are made at the same time. */
const AT_ONCE = 5;
const FIRST = KEYS.slice(0, 20);
/** A model that is known to take no tools natively, so that its prompt tells of them in fences. */
const FENCED_MODEL = 'sonar';

async function addTool(key: string): Promise<void> {
  const parameters = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
  const [runtime, files] = CALLED.has(key)
    ? ['javascript', { 'main.js': `export default async ({ word }) => word + ' by ${key}'` }]
    : ['http', { 'http.json': JSON.stringify({ method: 'GET', url: 'https://example.com/{{ word }}' }) }];
  const file = JSON.stringify({ parameters, runtime, effect: 'read' });
  await createTool(user.client, { 'tool.json': file, ...files }, { key });
}

/** Talks in a new chat to a new agent with all of the tools. */
async function talk(fields: object = {}) {
  const agentId = await createAgent(user.client, { tools: KEYS, ...fields });
  const chatId = await createChat(user.client, agentId);
  socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  let turns = 0;
  const say = async (content: string): Promise<readonly Call[]> => {
    turns += 1;
    socket.send({ type: 'message', content: `${content} [[then]] [[say done]]`, client_message_id: String(turns) });
    const end = await socket.waitForEnd(turns);
    return (end['metadata'] as { tool_calls_detail: readonly Call[] }).tool_calls_detail;
  };
  return { agentId, say };
}

/** The names of the tools in the last requests of the model, oldest first. */
function offered(requests: number): readonly (readonly string[])[] {
  return instance.model.requests
    .slice(-requests)
    .map(({ body }) => ((body.tools ?? []) as readonly OfferedTool[]).map((tool) => tool.function.name));
}

function systemPrompts(requests: number): readonly string[] {
  return instance.model.requests.slice(-requests).map(({ messages }) => {
    const content = messages[0]?.content;
    return typeof content === 'string' ? content : '';
  });
}

test('of 41 tools a model is given 20, and the others once it has asked for them, for the rest of the chat', async () => {
  const { say } = await talk();
  const calls = await say(
    '[[tool tool_describe {"names": ["answer_23", "answer_22"]}]] [[then]] [[tool answer_23 {"word": "hi"}]]',
  );
  expect(calls).toMatchObject([
    { name: 'tool_describe', status: 'success', result: expect.stringContaining('answer_23, answer_22') },
    { name: 'answer_23', status: 'success', result: 'hi by answer_23' },
  ]);
  const [first, ...later] = offered(3);
  expect(first).toEqual([...FIRST, 'tool_describe']);
  const grown = [...FIRST, 'tool_describe', 'answer_23', 'answer_22'];
  expect(later).toEqual([grown, grown]);
  // What stands before the tools that were added stays the same, so that a provider can keep it.
  const prompts = systemPrompts(3);
  expect(new Set(prompts).size).toBe(1);
  expect(prompts[0]).toContain('- answer_23: Does what a test needs.');
  expect(prompts[0]).not.toContain('- answer_19');
  await say('[[tool answer_22 {"word": "again"}]]');
  expect(offered(2)).toEqual([grown, grown]);
});

test('a tool of which the model knows the name alone runs, or tells with the error what it takes', async () => {
  const { say } = await talk();
  const calls = await say('[[tool answer_20 {"word": "hi"}]] [[tool answer_21 {"w": 1}]] [[tool nothing {}]]');
  expect(calls).toMatchObject([
    { name: 'answer_20', status: 'success', result: 'hi by answer_20' },
    { name: 'answer_21', status: 'error', result: expect.stringContaining('"required') },
    { name: 'nothing', status: 'error' },
  ]);
  expect(calls[1]?.result).toContain('The JSON Schema of its arguments is: {');
  expect(offered(1)).toEqual([[...FIRST, 'tool_describe', 'answer_20', 'answer_21']]);
});

test('in fences a model is told of the tools in the same two steps', async () => {
  const { say } = await talk({ model_pref: FENCED_MODEL });
  const calls = await say(
    '[[fence tool_describe {"names": ["answer_22"]}]] [[then]] [[fence answer_22 {"word": "hi"}]]',
  );
  expect(calls.map(({ status }) => status)).toEqual(['success', 'success']);
  const [before, after] = systemPrompts(3);
  expect([before?.includes('## answer_22'), after?.includes('## answer_22')]).toEqual([false, true]);
  expect(before).toContain('- answer_22: Does what a test needs.');
});

test('to have a tool described waits for nobody, and what cannot be described is said', async () => {
  const { say } = await talk({ requires_approval: { '*': 'always' } });
  const calls = await say('[[tool tool_describe {"names": ["answer_22"]}]] [[tool tool_describe {"names": ["gone"]}]]');
  expect(calls).toMatchObject([
    { status: 'success' },
    { status: 'error', result: expect.stringContaining('You have no tool \\"gone\\"') },
  ]);
});

test('the prompt of the agent is shown as its next turn is given it', async () => {
  const { agentId, say } = await talk();
  const { json } = await user.client.get<{
    readonly parts: readonly { readonly name: string; readonly text: string }[];
    readonly tools: readonly { readonly name: string; readonly is_whole: boolean; readonly estimated_tokens: number }[];
  }>(`/api/agents/${agentId}/prompt`);
  await say('hello');
  const [names] = offered(1);
  expect(json.tools.filter((tool) => tool.is_whole).map(({ name }) => name)).toEqual(names);
  expect(json.tools.slice(21).map((tool) => tool.name)).toEqual(KEYS.slice(20));
  expect(json.tools.at(-1)).toMatchObject({ is_whole: false, estimated_tokens: 0 });
  expect(systemPrompts(1)[0]).toBe(json.parts.map(({ text }) => text).join('\n\n'));
});
