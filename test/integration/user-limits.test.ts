import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { registerColleague } from '../support/people.ts';
import {
  createAgent,
  createChain,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
} from '../support/factories.ts';
import { casesOf, inLength, longTest } from '../support/in-length.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Answer {
  readonly role: string;
  readonly content: string;
  readonly provider_used: string | null;
  readonly metadata_: {
    readonly status: string;
    readonly error?: string;
    readonly tool_calls_detail: readonly { readonly name: string; readonly status: string; readonly result: string }[];
  };
}

let instance: TestInstance;
let owner: TestUser;
let member: TestUser;
let agentId: string;
let groupId: string;

const restrict = async (fields: Record<string, unknown>) => {
  const answer = await owner.client.patch(`/api/permissions/groups/${groupId}`, fields);
  expect([answer.status, answer.json]).toEqual([200, expect.anything()]);
};
const newChat = async () => createChat(member.client, agentId);

/** Sends a message, without waiting for the answer. */
async function send(chatId: string, content: string): Promise<void> {
  const response = await fetch(`${instance.api.url}/api/chats/${chatId}/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${member.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content, client_message_id: randomUUID() }),
  });
  expect(response.status).toBe(200);
  await response.body?.cancel();
}

async function answersOf(chatId: string): Promise<Answer[]> {
  return waitUntil('the messages', async () => {
    const { status, json } = await member.client.get<Answer[]>(`/api/chats/${chatId}/messages?limit=500`);
    // A crowded database asks to come back later; an api that stood still takes the request for one that did not come.
    if (status === 503 || status === 408) return undefined;
    expect([status, json]).toEqual([200, expect.any(Array)]);
    return json.filter(({ role }) => role === 'assistant');
  });
}

async function answered(chatId: string, count = 1): Promise<Answer> {
  const probe = async () => (await answersOf(chatId))[count - 1];
  return waitUntil(`answer ${count}`, probe);
}

async function ask(content: string, chatId?: string): Promise<Answer> {
  const id = chatId ?? (await newChat());
  const before = (await answersOf(id)).length;
  await send(id, content);
  return answered(id, before + 1);
}

async function runningTurns(): Promise<number> {
  const { rows } = await instance.api.database.system.query<{ count: number }>(
    `select count(*)::int as count from turns where user_id = $1 and status = 'running' and slot is not null
      and not exists (select from turns c where c.parent_turn_id = turns.id and c.status = 'running' and c.slot = 0)`,
    [member.id],
  );
  return rows[0]?.count ?? 0;
}

/** Calls `read` again and again until `work` has ended, and answers the greatest of what it saw. */
async function greatest(read: () => Promise<number>, work: Promise<unknown>): Promise<number> {
  const seen = [0];
  const ended = work.then(() => true as const);
  const next = async () => {
    seen.push(await read());
    return undefined;
  };
  await waitUntil('the work to end', async () => Promise.race([ended, next()]));
  return Math.max(...seen);
}

/** Turns that wait in order for a limit of agents at work. */
const waiting = inLength(6, 12);
/** Chats with a short turn in each round, for each number of slots. */
const chatCount = inLength(8, 40);
const rounds = inLength(2, 3);
const slotCounts = casesOf([1, 2]);

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => instance.model.script(null));

beforeEach(async () => {
  owner = await registerUser(instance.api.url);
  member = await registerColleague(instance.api, owner, 'member');
  await createProvider(owner.client, instance.model.url, { name: 'First' });
  agentId = await createAgent(owner.client, { name: 'Lead', tools: ['agent_spawn', 'time_now', 'math_evaluate'] });
  const group = await owner.client.post<{ id: string }>('/api/permissions/groups', { name: 'Narrow' });
  groupId = group.json.id;
  await owner.client.send('PUT', `/api/permissions/groups/${groupId}/members`, { user_ids: [member.id] });
});

describe('a turn of a member in a group', () => {
  test('is refused in words at its next step when the agent was taken away meanwhile', async () => {
    const chatId = await newChat();
    const other = await createAgent(owner.client);
    await send(chatId, '[[hold taken after 0 chunks]] [[tool time_now {}]] [[then]] [[say done]]');
    const isAsked = () => (instance.model.requests.at(-1)?.endedAt === null ? true : undefined);
    await waitUntil('the model to be asked', isAsked);
    await restrict({ capabilities: { agent_ids: [other] } });
    instance.model.release('taken');
    expect((await answered(chatId)).metadata_).toMatchObject({
      status: 'failed',
      error: 'Your permission groups do not let you use the agent "Lead".',
    });
  });

  test('is offered and may call the tools of the allowlist only', async () => {
    await restrict({ capabilities: { tool_keys: ['math_evaluate'] } });
    const answer = await ask('[[tool time_now {}]] [[tool math_evaluate {"expression":"6*7"}]] [[then]] [[say done]]');
    const calls = answer.metadata_.tool_calls_detail.map(({ name, status, result }) => [name, status, result]);
    expect(calls).toEqual([
      ['time_now', 'error', expect.stringContaining('that you may use')],
      ['math_evaluate', 'success', expect.stringContaining('42')],
    ]);
    const offered = JSON.stringify(instance.model.requests.at(-1)?.body['tools']);
    expect(offered).toContain('math_evaluate');
    expect(offered).not.toContain('time_now');
  });

  test('changes records through a tool only as far as its user may', async () => {
    const withMemory = await createAgent(owner.client, { tools: ['memory_manage'] });
    const remember = async () => {
      const chatId = await createChat(member.client, withMemory);
      const calls = ['add', 'search'].map((action) => `[[tool memory_manage {"action":"${action}","content":"tea"}]]`);
      const { metadata_: metadata } = await ask(`${calls.join(' ')} [[then]] [[say done]]`, chatId);
      return metadata.tool_calls_detail.map(({ status, result }) => (status === 'success' ? status : result));
    };
    const offered = () => JSON.stringify(instance.model.requests.at(-1)?.body['tools'] ?? []);
    await restrict({ permissions: ['memory.manage'] });
    expect(await remember()).toEqual(['success', 'success']);
    await restrict({ permissions: ['memory.view'] });
    expect(await remember()).toEqual([expect.stringContaining('memory.manage'), 'success']);
    expect(offered()).toContain('what you should remember');
    await restrict({ permissions: [] });
    expect(await remember()).toEqual([
      expect.stringContaining('memory.manage'),
      expect.stringContaining('memory.view'),
    ]);
    expect(offered()).not.toContain('what you should remember');
  });

  test('changes nothing through a call that an approval edits from reading to writing', async () => {
    const fields = { tools: ['memory_manage'], requires_approval: { memory_manage: 'always' } };
    const chatId = await createChat(member.client, await createAgent(owner.client, fields));
    await restrict({ permissions: ['memory.view', 'approvals.manage'] });
    await send(chatId, '[[tool memory_manage {"action":"list"}]] [[then]] [[say done]]');
    const [approval] = await waitUntil('the call to wait', async () => {
      const { json } = await member.client.get<{ id: string }[]>('/api/approvals?status=pending');
      return json.length > 0 ? json : undefined;
    });
    const edit = { approve: true, arguments: { action: 'add', content: 'tea' } };
    expect((await member.client.post(`/api/approvals/${approval?.id}/decision`, edit)).status).toBe(200);
    expect((await answered(chatId)).metadata_.tool_calls_detail).toMatchObject([
      { status: 'error', result: expect.stringContaining('lacks the permission memory.manage') },
    ]);
  });

  test('hands work only to agents that its user may use, and answers others as unknown', async () => {
    const scout = await createAgent(owner.client, { name: 'Scout' });
    await createAgent(owner.client, { name: 'Secret' });
    await restrict({ capabilities: { agent_ids: [agentId, scout] } });
    const spawn = (agent: string) =>
      `[[tool agent_spawn ${JSON.stringify({ agent, task: `[[say ${agent} was here]]` })}]]`;
    const answer = await ask(`${spawn('Scout')} ${spawn('Secret')} ${spawn('Nobody')} [[then]] [[say done]]`);
    const results = answer.metadata_.tool_calls_detail.map(({ result }) => result);
    expect(results[0]).toBe('Scout was here');
    expect(results[1]).toMatch(/There is no agent .+Secret/);
    expect(results[1]?.replace('Secret', 'Nobody')).toBe(results[2]);
    const [system] = instance.model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(system)).toContain('Scout');
    expect(JSON.stringify(system)).not.toContain('Secret');
  });

  test('is answered by accounts of the allowlist only, and by nobody when none is left', async () => {
    const second = await createProvider(owner.client, instance.model.url, { name: 'Second' });
    expect((await ask('hello')).provider_used).toBe('First');
    await restrict({ capabilities: { provider_ids: [second] } });
    expect((await ask('hello')).provider_used).toBe('Second');
    await owner.client.delete(`/api/providers/${second}`);
    expect((await ask('hello')).metadata_).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('certain provider accounts only'),
    });
  });

  test('goes by the chain of the group, whatever chat, agent and organization say', async () => {
    await createProvider(owner.client, instance.model.url, { name: 'Second', model_name: 'scripted-2' });
    const steps = (model: string) => [{ provider_type: 'openai-compatible', model_name: model }];
    const ofChat = await createChain(owner.client, { steps: steps('of-chat') });
    const forced = await createChain(owner.client, { steps: steps('forced') });
    const chatId = await newChat();
    await member.client.patch(`/api/chats/${chatId}/provider-chain`, { provider_chain_id: ofChat });
    await ask('hello', chatId);
    const modelAsked = () => instance.model.requests.at(-1)?.model;
    expect(modelAsked()).toBe('of-chat');
    await restrict({ capabilities: { default_chain_id: forced } });
    await ask('hello', chatId);
    expect(modelAsked()).toBe('forced');
    const allowed = await createChain(owner.client, { steps: steps('allowed') });
    await restrict({ capabilities: { default_chain_id: null, chain_ids: [allowed] } });
    await ask('hello', chatId);
    expect(modelAsked()).toBe('allowed');
  });
});

describe('a token budget', () => {
  test('lets the turn complete that crosses it, and refuses the next one until the window has moved on', async () => {
    await restrict({ limits: { token_budget: 100, token_window_hours: 2 } });
    const chatId = await newChat();
    expect((await ask('[[say one]] [[usage 60 1]]', chatId)).metadata_.status).toBe('completed');
    expect((await ask('[[say two]] [[usage 60 1]]', chatId)).metadata_.status).toBe('completed');
    const refused = await ask('[[say three]]', chatId);
    expect(refused.metadata_).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(
        /^Your token budget is used up: 122 of 100 tokens within 2 hours\. .* after 20\d\d-/,
      ),
    });
    const { system } = instance.api.database;
    for (const [table, column] of [
      ['token_usage', 'created_at'],
      ['token_usage_hours', 'hour'],
    ]) {
      await system.query(`update ${table} set ${column} = ${column} - interval '2 hours' where user_id = $1`, [
        member.id,
      ]);
    }
    expect((await ask('[[say four]]', chatId)).content).toBe('four');
    await restrict({ limits: { token_window_hours: 0 } });
    expect((await ask('[[say five]]', chatId)).metadata_.error).toContain('ask an administrator');
  });

  test('counts what sub-agents use, and is exact when agents work one at a time', async () => {
    await createAgent(owner.client, { name: 'Scout' });
    await restrict({ limits: { token_budget: 100, max_concurrent_agents: 1 } });
    const task = JSON.stringify({ agent: 'Scout', task: '[[say found]] [[usage 50 0]]' });
    expect(
      (await ask(`[[tool agent_spawn ${task}]] [[usage 5 0]] [[then]] [[say done]] [[usage 5 0]]`)).content,
    ).toContain('done');
    const chats = await Promise.all(Array.from({ length: 6 }, newChat));
    await Promise.all(chats.map(async (chatId) => send(chatId, '[[say done]] [[usage 25 0]]')));
    const answers = await Promise.all(chats.map(async (chatId) => answered(chatId)));
    // 60 are used, so two more turns reach 100, and the third is refused.
    expect(answers.filter(({ metadata_: { status } }) => status === 'completed')).toHaveLength(2);
  });
});

describe('a limit of agents at work', () => {
  test('lets so many turns run at once, has the others wait in order, and all are answered', async () => {
    await restrict({ limits: { max_concurrent_agents: 2 } });
    const chats = await Promise.all(Array.from({ length: waiting }, newChat));
    const gates = chats.map((_, at) => `order-${at}`);
    const sendOf = async (at: number) => send(chats[at] ?? '', `[[hold ${gates[at]} after 1 chunks]]`);
    // Those after the first two are known to wait before one is served: a conversation may begin late on a busy
    // machine.
    for (const at of [0, 1]) await sendOf(at);
    await waitUntil('two turns to run', async () => ((await runningTurns()) === 2 ? true : undefined));
    for (const at of chats.keys()) if (at > 1) await sendOf(at);
    const status = async (id: string) => (await member.client.get<{ status: string }>(`/api/chats/${id}`)).json.status;
    for (const chatId of chats.slice(2))
      await waitUntil('the turn to wait', async () => ((await status(chatId)) === 'waiting' ? true : undefined));
    // The turns that the model was asked for, in this order.
    const begun = () => {
      const asked = instance.model.requests.map(({ messages }) =>
        gates.findIndex((gate) => JSON.stringify(messages).includes(`${gate} `)),
      );
      return [...new Set(asked)].filter((at) => at >= 0);
    };
    // Slots are passed on one by one, so that nothing decides who gets one but the order of those that wait.
    const endInOrder = async () => {
      for (const [at, chatId] of chats.entries()) {
        await waitUntil('the next turn to run', () => begun().length === Math.min(at + 2, waiting) || undefined);
        instance.model.release(`order-${at}`);
        expect((await answered(chatId)).metadata_.status).toBe('completed');
      }
    };
    expect(await greatest(runningTurns, endInOrder())).toBe(2);
    expect(begun().slice(2)).toEqual([...chats.keys()].slice(2));
  });

  test('holds for sub-agents too, which all are done though the turn above them holds the only slot', async () => {
    await restrict({ limits: { max_concurrent_agents: 1 } });
    for (const name of ['Scout', 'Deep'])
      await createAgent(owner.client, { name, tools: ['agent_spawn'], max_subagents: 9 });
    const spawn = (agent: string, task: string) => `[[tool agent_spawn ${JSON.stringify({ agent, task })}]]`;
    const below = `${spawn('Scout', '[[slow 3 chunks every 50ms]]')} [[then]] [[say up]]`;
    const chatId = await newChat();
    const chats = [chatId, await newChat(), await newChat()];
    await send(chatId, `${Array.from({ length: 3 }, () => spawn('Deep', below)).join(' ')} [[then]] [[say done]]`);
    for (const other of chats.slice(1)) await send(other, '[[say other]]');
    const work = Promise.all(chats.map(async (each) => answered(each)));
    expect(await greatest(runningTurns, work)).toBe(1);
    const [first] = await work;
    expect(first?.metadata_.tool_calls_detail.map(({ result }) => result)).toEqual(['up', 'up', 'up']);
  });

  longTest('leaks no slot when a worker is killed in the middle of a turn', async () => {
    await restrict({ limits: { max_concurrent_agents: 1 } });
    const chats = [await newChat(), await newChat()];
    await send(chats[0] ?? '', '[[hold killed after 1 chunks]]');
    await waitUntil('the turn to run', async () => ((await runningTurns()) === 1 ? true : undefined));
    await send(chats[1] ?? '', '[[say second]]');
    await instance.killWorkers();
    await instance.addWorker();
    instance.model.release('killed');
    const answers = await Promise.all(chats.map(async (chatId) => answered(chatId)));
    expect(answers.map(({ metadata_: { status } }) => status)).toEqual(['completed', 'completed']);
    expect(await runningTurns()).toBe(0);
  });

  // Of those who had to check by themselves, one was served every 30 seconds: the last would not be waited for.
  test.each(slotCounts)('passes %d slots on from one to the next of many short turns', async (slotCount) => {
    await restrict({ limits: { max_concurrent_agents: slotCount } });
    const chats = await Promise.all(Array.from({ length: chatCount }, newChat));
    for (let round = 1; round <= rounds; round += 1) {
      await Promise.all(chats.map(async (chatId) => send(chatId, '[[say done]]')));
      for (const chatId of chats) expect((await answered(chatId, round)).content).toBe('done');
    }
  });

  test('is lifted for those who wait', async () => {
    await restrict({ limits: { max_concurrent_agents: 1 } });
    const chats = [await newChat(), await newChat()];
    await send(chats[0] ?? '', '[[hold lifted after 1 chunks]]');
    await waitUntil('the turn to run', async () => ((await runningTurns()) === 1 ? true : undefined));
    await send(chats[1] ?? '', '[[say second]]');
    const chat = async () => (await member.client.get<{ status: string }>(`/api/chats/${chats[1] ?? ''}`)).json;
    await waitUntil('the other to wait', async () => ((await chat()).status === 'waiting' ? true : undefined));
    await restrict({ limits: { max_concurrent_agents: 2 } });
    expect((await answered(chats[1] ?? '')).content).toBe('second');
    instance.model.release('lifted');
    await answered(chats[0] ?? '');
  });

  test('lets a waiting turn be stopped', async () => {
    await restrict({ limits: { max_concurrent_agents: 1 } });
    const chats = [await newChat(), await newChat()];
    await send(chats[0] ?? '', '[[hold stopped after 1 chunks]]');
    await waitUntil('the turn to run', async () => ((await runningTurns()) === 1 ? true : undefined));
    await send(chats[1] ?? '', '[[say second]]');
    await member.client.post(`/api/chats/${chats[1] ?? ''}/interrupt`);
    expect((await answered(chats[1] ?? '')).metadata_.status).toBe('interrupted');
    instance.model.release('stopped');
    expect((await answered(chats[0] ?? '')).metadata_.status).toBe('completed');
  });
});
