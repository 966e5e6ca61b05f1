import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';
import { recoverRuns } from '../support/recover-due-work.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Step {
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly turn_id: string;
}

interface Run {
  readonly id: string;
  readonly chat_id: string;
  readonly status: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly steps: readonly Step[];
}

interface Message {
  readonly role: string;
  readonly content: string;
  readonly agent_id: string;
}

let instance: TestInstance;
let user: TestUser;
let agentId: string;

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Worker' });
});

async function add(fields: Record<string, unknown>): Promise<string> {
  const workflow = { name: 'Report', agent_id: agentId, ...fields };
  return (await user.client.post<{ id: string }>('/api/workflows', workflow)).json.id;
}

async function trigger(id: string, variables: Record<string, unknown> = {}): Promise<string> {
  const { json } = await user.client.post<{ run_id: string }>(`/api/workflows/${id}/trigger`, { variables });
  return json.run_id;
}

const shown = async (id: string, runId: string) =>
  (await user.client.get<Run>(`/api/workflows/${id}/runs/${runId}`)).json;
const messages = async (chatId: string) => (await user.client.get<Message[]>(`/api/chats/${chatId}/messages`)).json;
const interrupt = async (id: string, runId: string) =>
  user.client.post<Run>(`/api/workflows/${id}/runs/${runId}/interrupt`);
/** Has the workflow of a run told that its row has changed. */
const wake = async (runId: string) =>
  instance.api.database.follow([{ dueWork: [{ kind: 'run', orgId: user.orgId, runId }] }]);
const query = async (text: string, values: unknown[]) => instance.api.database.system.query(text, values);

async function reach(id: string, runId: string, ...statuses: readonly string[]): Promise<Run> {
  return waitUntil(`the run to be ${statuses.join(' or ')}`, async () => {
    const run = await shown(id, runId);
    return statuses.includes(run.status) ? run : undefined;
  });
}

/** The run, once an attempt at its step has been begun by a worker. */
async function working(id: string, runId: string): Promise<Run> {
  return waitUntil('the agent to work', async () => {
    const run = await shown(id, runId);
    return run.steps.some(({ status }) => status === 'running') ? run : undefined;
  });
}

describe('a run', () => {
  test('sends the prompt with its values in a conversation of its own, and ends with the answer', async () => {
    const id = await add({ prompt_template: '[[say sales of {{ month }}]] [[usage 100 20]] {{constructor}}' });
    const run = await reach(id, await trigger(id, { month: 'May' }), 'completed');
    expect(run).toMatchObject({
      output: 'sales of May',
      error: null,
      usage: { input_tokens: 100, output_tokens: 20 },
      missing_variables: ['constructor'],
      started_at: expect.any(String),
      completed_at: expect.any(String),
      steps: [{ name: 'prompt', status: 'completed', attempts: 1, output: 'sales of May' }],
    });
    expect(await messages(run.chat_id)).toMatchObject([
      { role: 'user', content: '[[say sales of May]] [[usage 100 20]] ' },
      { role: 'assistant', content: 'sales of May', agent_id: agentId },
    ]);
    const { json: chats } = await user.client.get<{ id: string }[]>('/api/chats');
    expect(chats.map((chat) => chat.id)).toEqual([run.chat_id]);
    const list = (await user.client.get<Run[]>(`/api/workflows/${id}/runs?status=completed`)).json;
    expect(list).toMatchObject([{ id: run.id, output: 'sales of May' }]);
  });

  test('takes its steps one after the other, each with the outputs before it, and with the agent that it names', async () => {
    const editorId = await createAgent(user.client, { name: 'Editor' });
    const steps = [
      { name: 'find', prompt_template: '[[say found {{ topic }}]]' },
      { name: 'write', prompt_template: '[[say wrote {{ steps.find.output }}]]', agent_id: editorId },
      { name: 'check', prompt_template: '[[say {{ topic }}: {{ steps.write.output }}]]' },
    ];
    const id = await add({ steps });
    const run = await reach(id, await trigger(id, { topic: 'tea' }), 'completed');
    expect(run.output).toBe('tea: wrote found tea');
    expect(run.steps.map(({ name, status, attempts }) => [name, status, attempts])).toEqual([
      ['find', 'completed', 1],
      ['write', 'completed', 1],
      ['check', 'completed', 1],
    ]);
    const said = (await messages(run.chat_id)).filter(({ role }) => role === 'assistant');
    expect(said.map((each) => each.agent_id)).toEqual([agentId, editorId, agentId]);
  });

  test('tries a failed step again after a pause, in which it waits, and fails with the last attempt', async () => {
    const id = await add({ steps: [{ name: 'only', prompt_template: '[[status 400]]', retries: 1 }] });
    // The pause is short: on a busy machine it may be over before anybody asks.
    const runId = await waitUntil('a run to be seen in its pause', async () => {
      const triggered = await trigger(id);
      const { status } = await reach(id, triggered, 'waiting', 'failed');
      return status === 'waiting' ? triggered : undefined;
    });
    // The pause is over.
    await query("update turns set ended_at = ended_at - interval '1 minute' where run_id = $1", [runId]);
    await wake(runId);
    const run = await reach(id, runId, 'failed');
    expect(run).toMatchObject({ output: null, error: expect.any(String), steps: [{ status: 'failed', attempts: 2 }] });
    expect(await messages(run.chat_id)).toHaveLength(4);
  });

  test('stops when it is interrupted, and takes no further step', async () => {
    const steps = ['a', 'b'].map((name) => ({ name, prompt_template: '[[say so far]] [[think 60s]]' }));
    const id = await add({ steps });
    const runId = await trigger(id);
    await working(id, runId);
    expect((await interrupt(id, runId)).status).toBe(200);
    const run = await reach(id, runId, 'interrupted');
    expect(run.steps).toMatchObject([{ status: 'interrupted' }, { status: 'queued', attempts: 0 }]);
    expect((await interrupt(id, runId)).status).toBe(409);
  });

  test('is interrupted with its chat, and when its conversation is deleted', async () => {
    const id = await add({ prompt_template: '[[think 60s]]' });
    const [first, second] = [await trigger(id), await trigger(id)];
    const { chat_id: chatId } = await working(id, first);
    await user.client.post(`/api/chats/${chatId}/interrupt`);
    await reach(id, first, 'interrupted');
    const { chat_id: secondChatId } = await working(id, second);
    expect((await user.client.delete(`/api/workflows/${id}/conversations/${secondChatId}`)).status).toBe(204);
    await reach(id, second, 'interrupted');
  });

  test('fails when its time limit is up', async () => {
    const id = await add({ prompt_template: '[[think 60s]]', time_limit_minutes: 5 });
    const runId = await trigger(id);
    await working(id, runId);
    await query('update workflow_runs set deadline_at = now() where id = $1', [runId]);
    await wake(runId);
    expect(await reach(id, runId, 'failed')).toMatchObject({ error: 'The time limit of the run is up: 5 minutes.' });
  });

  test('gives its place to the next in the queue when it ends, in order', async () => {
    const prompt = '[[hold place-{{ at }} after 0 chunks]] [[say {{ at }}]]';
    const id = await add({ prompt_template: prompt, max_concurrent_runs: 2 });
    const ids = await Promise.all(Array.from({ length: 8 }, async (_, at) => trigger(id, { at })));
    const atWork = async () =>
      waitUntil('two to be at work', async () => {
        const { json } = await user.client.get<Run[]>(`/api/workflows/${id}/runs?status=running`);
        return json.length === 2 ? json.map((run) => run.id) : undefined;
      });
    const end = async (runId: string) => {
      const at = ids.indexOf(runId);
      instance.model.release(`place-${at}`);
      expect(await reach(id, runId, 'completed')).toMatchObject({ output: String(at) });
    };
    let working = await atWork();
    for (const next of ids.toSorted().filter((runId) => !working.includes(runId))) {
      const [ending = '', staying] = working;
      await end(ending);
      working = await atWork();
      expect(new Set(working)).toEqual(new Set([staying, next]));
    }
    for (const runId of working) await end(runId);
  });

  test('ends with a reason when the user in whose name it runs has lost the right, or the agent is gone', async () => {
    const id = await add({ prompt_template: 'Go.', trigger_type: 'webhook' });
    await user.client.post(`/api/workflows/${id}/activate`);
    await user.client.delete(`/api/agents/${agentId}`);
    const { json } = await user.client.as(undefined).post<{ run_id: string }>(`/api/workflows/${id}/webhook`, {});
    expect(await reach(id, json.run_id, 'failed')).toMatchObject({ error: 'The agent "Worker" was deleted.' });
    await query("update memberships set role = 'viewer' where user_id = $1", [user.id]);
    await instance.api.database.follow([{ accessOf: [user.id] }]);
    const answer = await user.client.as(undefined).post<{ run_id: string }>(`/api/workflows/${id}/webhook`, {});
    expect(await reach(id, answer.json.run_id, 'failed')).toMatchObject({
      error: expect.stringContaining('the permission “Schedules: view and change” is missing'),
    });
  });
});

test('a run ends with the reason at a step whose agent its user may use no longer', async () => {
  const editorId = await createAgent(user.client, { name: 'Editor' });
  const steps = [
    { name: 'find', prompt_template: '[[say found]] [[hold rights after 0 chunks]]' },
    { name: 'write', prompt_template: '[[say wrote]]', agent_id: editorId },
  ];
  const id = await add({ steps });
  const member = await registerColleague(instance.api, user, 'member');
  const fields = { name: 'Some', permissions: ['schedules.manage'], capabilities: { agent_ids: [agentId] } };
  const { json: group } = await user.client.post<{ id: string }>('/api/permissions/groups', fields);
  const { json } = await member.client.post<{ run_id: string }>(`/api/workflows/${id}/trigger`, {});
  await user.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: [member.id] });
  instance.model.release('rights');
  expect(await reach(id, json.run_id, 'failed')).toMatchObject({
    error: 'Your permission groups do not let you use the agent of this step.',
    steps: [{ status: 'completed' }, { status: 'queued' }],
  });
});

test('a run whose worker is killed between two steps goes on, each step once', async () => {
  const steps = ['a', 'b', 'c'].map((name) => ({ name, prompt_template: `[[say ${name}]] [[think 200ms]]` }));
  const id = await add({ steps });
  const ids = await Promise.all(Array.from({ length: 3 }, async () => trigger(id)));
  await waitUntil('a step to be done', async () => {
    const { steps: done } = await shown(id, ids[0] ?? '');
    return done.some(({ status }) => status === 'completed') || undefined;
  });
  await instance.killWorkers();
  await instance.addWorker();
  // In place of the scan of the next minute, which a run needs whose worker has died before it told of its step.
  await recoverRuns(instance);
  for (const runId of ids) {
    const run = await reach(id, runId, 'completed');
    expect(run.output).toBe('c');
    expect(run.steps.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    expect(await messages(run.chat_id)).toHaveLength(6);
  }
});
