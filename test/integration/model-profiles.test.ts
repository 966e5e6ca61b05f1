import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createAgent, createChain } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const PATH = '/api/model-profiles';
const TYPE = 'openai-compatible';

interface Metadata {
  readonly tool_calls_detail: readonly { readonly status: string; readonly result: string }[];
  readonly sub_agents: readonly { readonly sub_chat_id: string }[];
}

async function addProfile(name: string, fields: Record<string, unknown>): Promise<string> {
  const body = { name, ...('provider_chain_id' in fields ? {} : { provider_type: TYPE }), ...fields };
  const { status, json } = await chat.user.client.post<{ id: string }>(PATH, body);
  expect(status).toBe(201);
  return json.id;
}

async function prefer(model_pref: string) {
  const { client } = chat.user;
  const { json } = await client.get<{ agent_id: string }>(`/api/chats/${chat.id}`);
  return client.patch(`/api/agents/${json.agent_id}`, { model_pref });
}

/** Has the agent answer, and returns which model did, or why none did. */
async function modelThatAnswers(content = '[[say yes]]'): Promise<unknown> {
  const stream = await chat.post({ content });
  await stream.waitForEnd();
  const { model, error } = (await chat.answers()).at(-1)?.metadata_ ?? {};
  return error ?? model;
}

test('the profile that an agent names chooses its model at each step, and one that is gone fails the turn in words', async () => {
  chat = await OpenChat.create(instance);
  const refused = await prefer('profile:Careful');
  expect([refused.status, JSON.stringify(refused.json)]).toEqual([
    422,
    expect.stringContaining('There is no model profile \\"Careful\\"'),
  ]);
  // As it was stored before agents could only be given profiles that there are.
  const { system } = instance.api.database;
  await system.query("update agents set model_pref = 'profile:Careful' where org_id = $1", [chat.user.orgId]);
  expect(await modelThatAnswers()).toContain('the model profile "Careful", which does not exist');
  const id = await addProfile('careful', { model_name: 'large' });
  expect(await modelThatAnswers()).toBe('large');
  await chat.user.client.patch(`${PATH}/${id}`, { model_name: 'larger' });
  expect(await modelThatAnswers()).toBe('larger');
  const provider_chain_id = await createChain(chat.user.client, {
    steps: [{ provider_type: TYPE, model_name: 'of-chain' }],
  });
  await chat.user.client.patch(`${PATH}/${id}`, { provider_type: null, model_name: null, provider_chain_id });
  expect(await modelThatAnswers()).toBe('of-chain');
  await chat.user.client.delete(`/api/providers/chains/${provider_chain_id}`);
  expect(await modelThatAnswers()).toContain('provider chain of the model profile "careful" was deleted');
  expect((await chat.user.client.delete(`${PATH}/${id}`)).status).toBe(409);
});

test("a chat's own chain comes before the profile of its agent", async () => {
  chat = await OpenChat.create(instance);
  await addProfile('Typed', { model_name: 'of-profile' });
  expect((await prefer('profile:Typed')).status).toBe(200);
  expect(await modelThatAnswers()).toBe('of-profile');
  const steps = [{ provider_type: TYPE, model_name: 'of-chat' }];
  const provider_chain_id = await createChain(chat.user.client, { steps });
  await chat.user.client.patch(`/api/chats/${chat.id}/provider-chain`, { provider_chain_id });
  expect(await modelThatAnswers()).toBe('of-chat');
});

test('an agent delegates to a model that is meant for a kind of work, and is told of the kinds there are', async () => {
  chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: ['agent_spawn'] } });
  await createAgent(chat.user.client, { name: 'Scout' });
  await addProfile('Coder', { model_name: 'coder', tags: ['Code'] });
  await addProfile('Reader', { model_name: 'reader', tags: ['reading', 'code'], priority: -1 });
  const spawn = (model_tags?: string[]) =>
    `[[tool agent_spawn ${JSON.stringify({ agent: 'Scout', task: '[[say found]]', model_tags })}]]`;
  const stream = await chat.post({
    content: `${spawn(['CODE'])} ${spawn(['reading', 'code'])} ${spawn()} ${spawn(['poetry'])} [[then]] [[say end]]`,
  });
  await stream.waitForEnd();
  const [answer] = await chat.answers();
  const { tool_calls_detail: calls, sub_agents: subs } = { ...answer?.metadata_ } as unknown as Metadata;
  expect(calls.map(({ status }) => status)).toEqual(['success', 'success', 'success', 'error']);
  expect(calls[3]?.result).toContain('No model is meant for poetry. There are: code, reading.');
  const models = new Set<unknown>();
  for (const { sub_chat_id: id } of subs) {
    const { json } = await chat.user.client.get<{ role: string; metadata_: { model: string } }[]>(
      `/api/chats/${id}/messages`,
    );
    models.add(json.find(({ role }) => role === 'assistant')?.metadata_.model);
  }
  expect(models).toEqual(new Set(['coder', 'reader', 'scripted-1']));
  const asked = JSON.stringify(instance.model.requests);
  expect(asked).toContain('which model_tags asks for: code, reading');
});
