import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

interface Detail {
  readonly name: string;
  readonly status: string;
  readonly result: string;
}

interface Approval {
  readonly id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

const TOOLS = ['workflow_trigger', 'agent_broadcast', 'approval_request'];
const call = (name: string, args: Record<string, unknown>) => `[[tool ${name} ${JSON.stringify(args)}]]`;

/** Says something in a chat whose agent has the tools; returns the calls of the turn once it has ended. */
async function ask(content: string, meanwhile: () => Promise<unknown> = async () => undefined) {
  const socket = await chat.connect();
  socket.send({ type: 'message', content, client_message_id: 'first' });
  await meanwhile();
  const end = await socket.waitForEnd();
  const { tool_calls_detail: details } = end['metadata'] as { tool_calls_detail: readonly Detail[] };
  return { content: end['content'], details };
}

const open = async (agent: Record<string, unknown> = {}) => {
  chat = await OpenChat.create(instance, { agent: { name: 'Lead', tools: TOOLS, ...agent } });
};

describe('an agent', () => {
  test('runs a workflow for its user, and reads what came of it', async () => {
    await open();
    const worker = await createAgent(chat.user.client, { name: 'Worker' });
    const workflow = { name: 'Report', agent_id: worker, prompt_template: '[[say sales of {{ month }}]]' };
    const { json } = await chat.user.client.post<{ id: string }>('/api/workflows', workflow);
    const args = { workflow_id: json.id, variables: { month: 'May' }, wait: true };
    const { details } = await ask(`${call('workflow_trigger', args)} [[then]] [[say done]]`);
    expect(details).toMatchObject([{ name: 'workflow_trigger', status: 'success' }]);
    expect(details[0]?.result).toContain('sales of May');
    const runs = await chat.user.client.get(`/api/workflows/${json.id}/runs`);
    expect(runs.json).toMatchObject([{ triggered_by: 'agent', status: 'completed', user_id: chat.user.id }]);
  });

  test('cannot have a run that it has started start another one', async () => {
    await open();
    const worker = await createAgent(chat.user.client, { name: 'Worker', tools: TOOLS });
    const add = async (prompt: string) => {
      const workflow = { name: 'Loop', agent_id: worker, prompt_template: prompt };
      return (await chat.user.client.post<{ id: string }>('/api/workflows', workflow)).json.id;
    };
    const inner = await add('[[say never]]');
    const outer = await add(`${call('workflow_trigger', { workflow_id: inner })} [[then]] [[say stopped]]`);
    const { details } = await ask(
      `${call('workflow_trigger', { workflow_id: outer, wait: true })} [[then]] [[say ok]]`,
    );
    expect(details[0]?.result).toContain('stopped');
    expect((await chat.user.client.get(`/api/workflows/${inner}/runs`)).json).toEqual([]);
  });

  test('sends a message to several agents and gathers their answers', async () => {
    await open();
    for (const name of ['One', 'Two']) await createAgent(chat.user.client, { name });
    const args = { message: '[[say all well]]', agent_ids: ['One', 'Two'], wait: true, timeout_s: 300 };
    const { details } = await ask(`${call('agent_broadcast', args)} [[then]] [[say thanks]]`);
    expect(details).toMatchObject([{ name: 'agent_broadcast', status: 'success' }]);
    expect(details[0]?.result.match(/"answer":\s*"all well"/g)).toHaveLength(2);
  });

  test('asks a person and goes on when they have approved, with what they changed', async () => {
    await open();
    const args = { title: 'Pay', details: 'the bill', action: { euros: 120 } };
    const { content, details } = await ask(`${call('approval_request', args)} [[then]] [[say paid]]`, async () => {
      const { client } = chat.user;
      const approval = await waitUntil('the question', async () => {
        return (await client.get<readonly Approval[]>('/api/approvals?status=pending')).json.at(0);
      });
      expect(approval.arguments).toEqual(args);
      const edited = { ...args, action: { euros: 100 } };
      await client.post(`/api/approvals/${approval.id}/decision`, { approve: true, note: 'ok', arguments: edited });
    });
    expect(content).toBe('paid');
    expect(details).toMatchObject([{ name: 'approval_request', status: 'success' }]);
    expect(details[0]?.result).toContain('"euros":100');
  });

  test('is told when nobody could be asked', async () => {
    await open({ requires_approval: { approval_request: 'never' } });
    const { details } = await ask(`${call('approval_request', { title: 'Pay', details: 'it' })} [[then]] [[say no]]`);
    expect(details).toMatchObject([{ name: 'approval_request', status: 'error' }]);
    expect(details[0]?.result).toContain('Nobody was asked');
  });

  test('is told that there is no such workflow', async () => {
    await open();
    const { details } = await ask(
      `${call('workflow_trigger', { workflow_id: '019f0000-0000-7000-8000-000000000000' })} [[then]] [[say no]]`,
    );
    expect(details).toMatchObject([{ name: 'workflow_trigger', status: 'error' }]);
    expect(details[0]?.result).toContain('not_found');
  });
});

test('a worker tells what it lacks, for the api to say which tools can be used', async () => {
  await open();
  const { rows } = await instance.api.database.system.query<{ lacks: Record<string, string> }>(
    'select lacks from workers',
  );
  expect(rows.length).toBeGreaterThan(0);
  const { json } = await chat.user.client.get<readonly Record<string, unknown>[]>('/api/tools?limit=100');
  for (const [tool, feature] of [
    ['shell_run', 'sandbox'],
    ['browser_page', 'browser'],
  ] as const) {
    const reason = rows[0]?.lacks[feature] ?? null;
    expect(json.find(({ key }) => key === tool)).toMatchObject({ usable: true, available: reason === null, reason });
  }
  expect(json.find(({ key }) => key === 'file_read')).toMatchObject({ usable: true, available: true, reason: null });
});
