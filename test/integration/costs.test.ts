import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAgent } from '../support/factories.ts';
import { PRICED_MODEL } from '../support/operator-environment.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let instance: TestInstance;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());

const provider = { model_name: PRICED_MODEL };

interface Usage {
  readonly input_tokens: number;
  readonly cost_usd?: number;
}

async function ask(chat: OpenChat, content: string) {
  const stream = await chat.post({ content });
  await stream.waitForEnd();
  const answer = (await chat.messages()).findLast(({ role }) => role === 'assistant');
  return answer?.metadata_ as { usage: Usage; sub_agents: readonly { usage: Usage }[] };
}

async function reported(chat: OpenChat) {
  const { json } = await chat.user.client.get<{ totals: Usage & { unpriced_tokens: number } }>('/api/usage');
  return json.totals;
}

test('a turn says what its calls have cost, by the prices of the operator, and reports say the same', async () => {
  const chat = await OpenChat.create(instance, { provider, agent: { tools: ['time_now'] } });
  const usage = '[[usage 1000 10 of which 400 cached]]';
  const { usage: used } = await ask(chat, `[[tool time_now {}]] ${usage} [[then]] [[say done]] [[usage 2000 20]]`);
  const cost = (600 * 1 + 400 * 0.1 + 10 * 10 + 2000 * 1 + 20 * 10) / 1_000_000;
  expect(used).toEqual({ input_tokens: 3000, output_tokens: 30, cached_input_tokens: 400, cost_usd: cost });
  expect(await reported(chat)).toMatchObject({ turns: 1, calls: 2, cached_input_tokens: 400, cost_usd: cost });
});

test('a cost is unknown where the price is, and its tokens are reported', async () => {
  const chat = await OpenChat.create(instance);
  const { usage } = await ask(chat, '[[say done]] [[usage 100 20]]');
  expect(usage).toEqual({ input_tokens: 100, output_tokens: 20 });
  expect(await reported(chat)).toMatchObject({ cost_usd: null, unpriced_tokens: 120 });
});

test("a sub-agent's cost is told beside its work, and counts with the chat that it worked for", async () => {
  const chat = await OpenChat.create(instance, { provider, agent: { tools: ['agent_spawn'], max_subagents: 2 } });
  const scout = await createAgent(chat.user.client, { name: 'Scout' });
  const task = JSON.stringify({ agent: 'Scout', task: '[[say found]] [[usage 500 0]]' });
  const { usage, sub_agents: below } = await ask(
    chat,
    `[[tool agent_spawn ${task}]] [[usage 100 0]] [[then]] [[say done]] [[usage 100 0]]`,
  );
  expect([usage.cost_usd, below.map((each) => each.usage.cost_usd)]).toEqual([0.0002, [0.0005]]);
  const by = async (kind: string) =>
    (await chat.user.client.get<{ lines: unknown[] }>(`/api/usage?group_by=${kind}`)).json.lines;
  expect(await by('chat')).toMatchObject([{ key: chat.id, turns: 2, cost_usd: 0.0007 }]);
  expect(await by('agent')).toMatchObject([{ key: scout, name: 'Scout', cost_usd: 0.0005 }, { cost_usd: 0.0002 }]);
});
