import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, createProvider } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { registerColleague } from '../support/people.ts';
import { SseClient } from '../support/sse-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Step {
  readonly id: string;
  readonly parent_id: string | null;
  readonly kind: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly [field: string]: unknown;
}
interface Turn {
  readonly id: string;
  readonly chat_id: string;
  readonly status: string;
}
interface Trace {
  readonly turn: Turn & Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  readonly is_cut: boolean;
  readonly working_ms: number;
  readonly usage_in_all: { readonly input_tokens: number; readonly output_tokens: number };
}

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const turns = async (id = chat.id) => (await chat.user.client.get<Turn[]>(`/api/chats/${id}/turns`)).json;

async function trace(): Promise<Trace> {
  const [turn] = await turns();
  const { status, json } = await chat.user.client.get<Trace>(`/api/chats/${chat.id}/turns/${turn?.id}`);
  expect(status).toBe(200);
  return json;
}

async function say(content: string): Promise<Trace> {
  const stream = await chat.post({ content });
  await stream.waitForEnd();
  return trace();
}

const kinds = ({ steps }: Trace) => steps.map(({ kind }) => kind);
const of = ({ steps }: Trace, kind: string) => steps.filter((step) => step.kind === kind);

/** Opens a chat whose chain goes from the account `First` (model `one`) to `Second` (model `two`). */
async function openChained(): Promise<void> {
  chat = await OpenChat.create(instance, { provider: { name: 'First', model_name: 'one' } });
  const { client } = chat.user;
  await createProvider(client, instance.model.url, { provider_type: 'groq', name: 'Second', model_name: 'two' });
  const steps = [{ provider_type: 'openai-compatible' }, { provider_type: 'groq' }];
  const { json } = await client.post<{ id: string }>('/api/providers/chains', { name: 'Chain', steps });
  await client.patch(`/api/chats/${chat.id}/provider-chain`, { provider_chain_id: json.id });
}

describe('the trace of a turn', () => {
  test('has its queue, the call of the model with its times and tokens, and nothing else when all went well', async () => {
    chat = await OpenChat.create(instance);
    const shown = await say('hello');
    expect(kinds(shown)).toEqual(['queue', 'model_call']);
    const [call] = of(shown, 'model_call');
    expect(call).toMatchObject({
      parent_id: null,
      step: 0,
      account: 'Scripted model',
      model: 'scripted-1',
      outcome: 'replied',
      failure: null,
      finish_reason: 'done',
      output_excerpt: expect.stringContaining('hello'),
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number), estimated: false },
    });
    const times = [call?.started_at, call?.['first_token_at'], call?.ended_at].map((time) => Date.parse(String(time)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(shown).toMatchObject({ is_cut: false, turn: { status: 'completed', question: 'hello', attempts: 1 } });
    expect(shown.working_ms).toBeGreaterThanOrEqual(0);
  });

  test('names each account that was asked, and why it gave no answer', async () => {
    await openChained();
    const shown = await say('[[status 500]] [[only one]] failover');
    expect(of(shown, 'model_call')).toMatchObject([
      {
        account: 'First',
        model: 'one',
        outcome: 'failed',
        failure: 'outage',
        reason: expect.stringContaining('500'),
        output_excerpt: '',
      },
      { account: 'Second', model: 'two', outcome: 'replied', usage: { output_tokens: expect.any(Number) } },
    ]);
  });

  test('tells how long it waited for a provider, from when to when', async () => {
    chat = await OpenChat.create(instance, { provider: { name: 'First', cooldown_seconds: 1 } });
    const shown = await say('[[status 429 retry-after 2]] [[times 1]] patience');
    expect(kinds(shown)).toEqual(['queue', 'model_call', 'wait', 'model_call']);
    const [wait] = of(shown, 'wait');
    expect(wait).toMatchObject({ waits_for: 'provider', until: null });
    const lengthOf = (step?: Step) => Date.parse(String(step?.ended_at)) - Date.parse(String(step?.started_at));
    expect(lengthOf(wait)).toBeGreaterThan(1_000);
    expect(shown.working_ms).toBe(of(shown, 'model_call').reduce((sum, call) => sum + lengthOf(call), 0));
  });

  longTest('says that a worker was lost with its attempt, and which one went on', async () => {
    chat = await OpenChat.create(instance);
    const content = '[[hold gate after 1 chunks]] [[times 1]] survive the worker';
    const stream = await chat.post({ content });
    // Not a request of an earlier test.
    await instance.model.waitForRequest(
      ({ messages, chunksSent }) => messages.at(-1)?.content === content && chunksSent > 0,
    );
    expect(await trace()).toMatchObject({
      turn: { status: 'running' },
      steps: [{ kind: 'queue' }, { kind: 'attempt', status: 'running', ended_at: null }],
    });
    await instance.killWorkers();
    await instance.addWorker();
    await stream.waitForEnd();
    const shown = await trace();
    expect(kinds(shown)).toEqual(['queue', 'attempt', 'model_call']);
    expect(of(shown, 'attempt')).toMatchObject([{ status: 'lost', step: 0, ended_at: expect.any(String) }]);
    expect(of(shown, 'model_call')).toMatchObject([{ outcome: 'replied' }]);
    expect(shown.turn['attempts']).toBe(2);
  });

  test('holds the work of sub-agents below the call that they answer, and each call can be read whole', async () => {
    chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: ['agent_spawn', 'file_write'] } });
    await createAgent(chat.user.client, { name: 'Scout', tools: ['time_now'] });
    const task = '[[tool time_now {}]] [[then]] [[say it is late]]';
    const spawn = `[[tool agent_spawn ${JSON.stringify({ agent: 'Scout', task })}]]`;
    const note = { path: 'note.md', content: 'x'.repeat(5_000), api_key: 'sk-secret-value' };
    const shown = await say(`${spawn} [[tool file_write ${JSON.stringify(note)}]] [[then]] [[say thanks]]`);
    const lead = shown.steps.find(({ name }) => name === 'agent_spawn');
    expect(lead).toMatchObject({
      kind: 'call',
      effect: 'agent',
      status: 'success',
      result_excerpt: 'it is late',
      sub_agent: { agent_name: 'Scout', status: 'completed', usage: { output_tokens: expect.any(Number) } },
    });
    const below = shown.steps.filter(({ parent_id: parent }) => parent === lead?.id);
    expect(below.map(({ kind }) => kind)).toEqual(['queue', 'model_call', 'call', 'model_call']);
    expect(below[2]).toMatchObject({ name: 'time_now', status: 'success', sub_agent: null, arguments_excerpt: '{}' });

    const wrote = shown.steps.find(({ name }) => name === 'file_write');
    expect(wrote).toMatchObject({ arguments_excerpt: null });
    const path = `/api/chats/${chat.id}/turns/${shown.turn.id}/calls/${wrote?.id}`;
    const { json } = await chat.user.client.get<Record<string, unknown>>(path);
    expect(json).toMatchObject({ arguments: { ...note, api_key: '***' }, edited_arguments: null, name: 'file_write' });
    expect(JSON.stringify(shown)).not.toContain('sk-secret-value');

    const sub = lead?.['sub_agent'] as { readonly turn_id: string; readonly chat_id: string };
    const own = await chat.user.client.get<Trace>(`/api/chats/${sub.chat_id}/turns/${sub.turn_id}`);
    expect(own.json.turn).toMatchObject({ parent_turn_id: shown.turn.id, parent_chat_id: chat.id });
    expect(kinds(own.json)).toEqual(['queue', 'model_call', 'call', 'model_call']);
  });

  test('has the decision that a call waited for, with who made it', async () => {
    const agent = { tools: ['file_write'], requires_approval: { file_write: 'always' } };
    chat = await OpenChat.create(instance, { agent });
    const args = JSON.stringify({ path: 'a.txt', content: 'words' });
    const stream = await chat.post({ content: `[[tool file_write ${args}]] [[then]] [[say written]]` });
    const { client } = chat.user;
    const approval = await waitUntil('the call to wait', async () => {
      const { json } = await client.get<readonly { id: string }[]>('/api/approvals?status=pending');
      return json[0];
    });
    expect(of(await trace(), 'approval')).toMatchObject([{ status: 'pending', ended_at: null }]);
    await client.post(`/api/approvals/${approval.id}/decision`, { approve: true, note: 'go on' });
    await stream.waitForEnd();
    const shown = await trace();
    const [call] = of(shown, 'call');
    expect(of(shown, 'approval')).toMatchObject([
      {
        parent_id: call?.id,
        approval_id: approval.id,
        status: 'approved',
        note: 'go on',
        ended_at: expect.any(String),
      },
    ]);
  });

  test('shows when a person stopped it, and the call that was stopped', async () => {
    chat = await OpenChat.create(instance);
    const stream = await chat.post({ content: '[[hold stopped after 2 chunks]]' });
    await waitUntil('text', async () => (stream.text.length > 0 ? true : undefined));
    await chat.user.client.post(`/api/chats/${chat.id}/interrupt`);
    await stream.waitForEnd();
    const shown = await trace();
    expect(kinds(shown)).toEqual(['queue', 'model_call', 'interrupt']);
    expect(of(shown, 'model_call')).toMatchObject([{ outcome: 'stopped', first_token_at: expect.any(String) }]);
    expect(shown.turn.status).toBe('interrupted');
  });
});

test('a turn that no budget is left for says so, and that no model was asked', async () => {
  chat = await OpenChat.create(instance);
  const owner = chat.user;
  const member = await registerColleague(instance.api, owner, 'member');
  const { json: group } = await owner.client.post<{ id: string }>('/api/permissions/groups', { name: 'Narrow' });
  const limits = { token_budget: 1, token_window_hours: 24 };
  await owner.client.patch(`/api/permissions/groups/${group.id}`, { limits });
  await owner.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: [member.id] });
  const { json: agents } = await owner.client.get<{ id: string }[]>('/api/agents');
  const chatId = await createChat(member.client, agents[0]?.id);
  const url = `${instance.api.url}/api/chats/${chatId}/stream`;
  for (const content of ['one', 'two']) {
    const stream = await SseClient.open({ url, token: member.accessToken, body: { content } });
    await stream.waitForEnd();
    stream.close();
  }
  const { json: listed } = await member.client.get<Turn[]>(`/api/chats/${chatId}/turns`);
  const { json } = await member.client.get<Trace>(`/api/chats/${chatId}/turns/${listed[0]?.id}`);
  expect(kinds(json)).toEqual(['queue', 'blocked']);
  expect(of(json, 'blocked')).toMatchObject([{ reason: expect.stringContaining('budget') }]);
});

test('a chat that is shared shows its accounts to members who may view accounts, and to no others', async () => {
  await openChained();
  await say('[[status 500]] [[only one]] failover');
  const owner = chat.user;
  const { json: project } = await owner.client.post<{ id: string }>('/api/projects', { name: 'App' });
  await instance.api.database.system.query('update chats set project_id = $2 where id = $1', [chat.id, project.id]);
  const readers = await Promise.all([1, 2].map(async () => registerColleague(instance.api, owner, 'member')));
  const [turn] = await turns();
  const seen = async (index: number, permissions: readonly string[]) => {
    const { json: group } = await owner.client.post<{ id: string }>('/api/permissions/groups', {
      name: `Group ${index}`,
      permissions,
    });
    const ids = [readers[index]?.id];
    await owner.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: ids });
    const shown = await readers[index]?.client.get<Trace>(`/api/chats/${chat.id}/turns/${turn?.id}`);
    expect(shown?.status).toBe(200);
    return shown === undefined ? [] : of(shown.json, 'model_call');
  };
  const [refused] = await seen(0, ['chats.view_shared', 'projects.view']);
  expect(refused).toMatchObject({ account: null, account_id: null, reason: null, model: 'one', failure: 'outage' });
  const [known] = await seen(1, ['chats.view_shared', 'projects.view', 'providers.view']);
  expect(known).toMatchObject({ account: 'First', account_id: expect.any(String), reason: expect.any(String) });
});

describe('GET /api/chats/{chat_id}/turns', () => {
  test('lists the turns, the newest first, page by page', async () => {
    chat = await OpenChat.create(instance);
    for (const content of ['one', 'two', 'three']) await say(content);
    const { json, headers } = await chat.user.client.get<Record<string, unknown>[]>(
      `/api/chats/${chat.id}/turns?limit=2`,
    );
    expect(json.map(({ question }) => question)).toEqual(['three', 'two']);
    expect(headers.get('x-total-count')).toBe('3');
    expect(json[0]).toMatchObject({ status: 'completed', model: 'scripted-1', tool_call_count: 0, error: null });
  });
});
