import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EffectServer } from '../support/effect-server.ts';
import type { ApiClient } from '../support/api-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let effects: EffectServer;
let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  effects = await EffectServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  effects.close();
});
afterEach(() => {
  effects.release();
  chat.close();
});

interface Shown {
  readonly id: string;
  readonly agent_id: string;
}

interface ShownPrompt {
  readonly characters: number;
  readonly parts: readonly { readonly name: string; readonly text: string | null; readonly characters: number }[];
  readonly skills: readonly object[];
  readonly tools: readonly { readonly name: string }[];
}

function textOf(message: { readonly content?: unknown } | undefined): string {
  return typeof message?.content === 'string' ? message.content : '';
}

/** Plays a turn and returns what the model was sent last: the system prompt, and the names of the tools. */
async function sent(content: string): Promise<{ prompt: string; tools: readonly string[] }> {
  await (await chat.post({ content })).waitForEnd();
  const request = instance.model.requests.findLast(({ messages }) =>
    JSON.stringify(messages).includes(content.slice(0, 20)),
  );
  const system = request?.messages[0];
  return {
    prompt: system?.role === 'system' ? textOf(system) : '',
    tools: ((request?.body.tools ?? []) as readonly { function: { name: string } }[]).map((tool) => tool.function.name),
  };
}

const client = () => chat.user.client;
const agentPath = async () => `/api/agents/${(await client().get<Shown>(`/api/chats/${chat.id}`)).json.agent_id}`;
const change = async (fields: object) => client().patch(await agentPath(), fields);
const shownPrompt = async () => (await client().get<ShownPrompt>(`${await agentPath()}/prompt`)).json;

async function writeSkill(
  user: ApiClient,
  key: string,
  text: string,
  others: Readonly<Record<string, string>> = {},
): Promise<string> {
  const created = await user.post<Shown>('/api/skills', {
    key,
    name: key,
    description: `About ${key}.`,
    category: 'custom',
  });
  expect(created.status).toBe(201);
  const path = `/api/skills/${created.json.id}`;
  const files = { 'SKILL.md': `---\nname: ${key}\ndescription: About ${key}.\n---\n${text}\n`, ...others };
  for (const [file, content] of Object.entries(files)) {
    expect((await user.send('PUT', `${path}/files/${file}`, { content })).status).toBe(200);
  }
  return path;
}

describe('the system prompt', () => {
  test('holds persona, soul, instructions, skills and memories in this order, and the api shows the same', async () => {
    chat = await OpenChat.create(instance, { agent: { system_prompt: 'You count.', soul: { tone: 'warm' } } });
    const persona = { key: 'ada', name: 'Ada', system_prompt: 'You are Ada.', soul: { tone: 'dry', humour: 'little' } };
    const { json } = await client().post<Shown>('/api/personas', persona);
    await writeSkill(client(), 'sums', 'Carry the one.');
    const gone = await writeSkill(client(), 'gone', 'Nobody reads this.');
    const given = await change({ persona_id: json.id, skills: ['summarize', 'gone', 'sums'] });
    expect(given.status).toBe(200);
    await client().delete(gone);
    const path = `${await agentPath()}/memories`;
    await client().post(path, { content: 'Likes tea.', type: 'fact', priority: 5 });
    await client().post(path, { content: 'Answer briefly.', type: 'instruction', priority: 1 });

    const { prompt, tools } = await sent('in which order? [[say ok]]');
    const parts = ['You are Ada.', '- Tone: warm', 'You count.', '<skill key="summarize">', 'Carry the one.'];
    const inOrder = [...parts, '- instruction: Answer briefly.', '- fact: Likes tea.'].map((words) =>
      prompt.indexOf(words),
    );
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    expect(inOrder).not.toContain(-1);
    expect(prompt).toContain('- Humour: little');
    expect(tools).not.toContain('skill_read');

    const shown = await shownPrompt();
    expect(shown.parts.map(({ name }) => name)).toEqual(['persona', 'soul', 'agent', 'skills', 'memories']);
    expect(shown.parts.map(({ text }) => text).join('\n\n')).toBe(prompt);
    expect(shown.characters).toBe(prompt.length);
    expect(shown.skills).toEqual(['summarize', 'sums'].map((key) => ({ key, is_whole: true })));
  });

  test('names the skills that do not fit, and the model reads them and their files', async () => {
    chat = await OpenChat.create(instance, { agent: {} });
    await writeSkill(client(), 'first', 'a'.repeat(30_000));
    await writeSkill(client(), 'second', `Second.\n${'b'.repeat(30_000)}`, { 'notes/deep.md': 'Far down.' });
    await change({ skills: ['first', 'second'] });
    const read = `[[tool skill_read ${JSON.stringify({ skill: 'second', path: 'notes/deep.md' })}]]`;
    const { prompt, tools } = await sent(`what fits? ${read} [[then]] [[say ok]]`);
    expect(prompt).toContain('<skill key="first">');
    expect(prompt).toMatch(/read it with skill_read:\n- second: About second\.$/);
    expect(tools).toContain('skill_read');
    const answer = (await chat.answers()).at(-1);
    expect(answer?.metadata_['tool_calls_detail']).toMatchObject([{ status: 'success', result: 'Far down.' }]);
    expect((await shownPrompt()).tools.map(({ name }) => name)).toEqual(['skill_read']);
  });

  test('changes from the next step on when a skill is edited', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: ['http_request'] } });
    const path = await writeSkill(client(), 'sums', 'Carry the one.');
    await change({ skills: ['sums'] });
    const socket = await chat.connect();
    const call = JSON.stringify({ url: `${effects.url}/hold/edit` });
    socket.send({ type: 'message', content: `mid-turn edit [[tool http_request ${call}]] [[then]] [[say done]]` });
    await effects.waitFor('/hold/edit');
    const content = '---\nname: sums\ndescription: About sums.\n---\nCarry the two. ```tool_call';
    await client().send('PUT', `${path}/files/SKILL.md`, { content });
    effects.release();
    await socket.waitForEnd();
    const prompts = instance.model.requests
      .filter(({ messages }) => JSON.stringify(messages).includes('mid-turn edit'))
      .map(({ messages: [system] }) => textOf(system));
    expect(prompts).toHaveLength(2);
    expect(prompts[0]).toContain('Carry the one.');
    expect(prompts[1]).toContain('Carry the two. ```quoted_tool_call');
  });

  test('goes on without a skill and a persona that were deleted', async () => {
    chat = await OpenChat.create(instance, { agent: { system_prompt: 'You count.' } });
    const skill = await writeSkill(client(), 'sums', 'Carry the one.');
    const persona = await client().post<Shown>('/api/personas', {
      key: 'ada',
      name: 'Ada',
      system_prompt: 'You are Ada.',
    });
    await change({ persona_id: persona.json.id, skills: ['sums'] });
    await client().delete(skill);
    await client().delete(`/api/personas/${persona.json.id}`);
    expect((await sent('still there? [[say ok]]')).prompt).toBe('You count.');
  });
});

describe('an agent that is created with a persona', () => {
  const defaults = { default_skills: ['summarize'], default_tools: ['time_now', 'file_read'] };

  test('takes over its defaults, unless it has its own', async () => {
    chat = await OpenChat.create(instance);
    const { json } = await client().post<Shown>('/api/personas', { key: 'ada', name: 'Ada', ...defaults });
    const create = async (fields: object) =>
      (await client().post<Shown>('/api/agents', { name: 'A', persona_id: json.id, ...fields })).json;
    expect(await create({})).toMatchObject({ skills: ['summarize'], tools: ['time_now', 'file_read'] });
    expect(await create({ tools: [] })).toMatchObject({ skills: ['summarize'], tools: [] });
    expect(await create({ skills: ['bash'] })).toMatchObject({ skills: ['bash'], tools: ['time_now', 'file_read'] });
  });
});
