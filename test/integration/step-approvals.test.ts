import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { totalOfOwner } from '../../db/orgs/require-room.ts';
import { recoverDueWork } from '../../worker/recover-due-work.ts';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { casesOf } from '../support/in-length.ts';
import { registerColleague } from '../support/people.ts';
import { passTime } from '../support/pass-time.ts';
import { ApiClient } from '../support/api-client.ts';
import { startTestApi } from '../support/test-api.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Run {
  readonly id: string;
  readonly chat_id: string;
  readonly status: string;
  readonly prompt: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly steps: readonly { readonly name: string; readonly status: string; readonly attempts: number }[];
}

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly run_id: string;
  readonly label: string;
  readonly detail?: unknown;
}

let instance: TestInstance;
let user: TestUser;
let agentId: string;
let workflowId: string;
const sockets: SocketClient[] = [];

beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});
beforeEach(async () => {
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  agentId = await createAgent(user.client, { name: 'Worker' });
});

const FIND = { name: 'find', prompt_template: '[[say found {{ topic }}]]' };
const SEND = { name: 'send', prompt_template: '[[say sent {{ steps.find.output }}]]', approval: true };

/** Triggers a run, and returns what waits for a decision. */
async function start(fields: Record<string, unknown> = {}): Promise<{ run: Run; approval: Approval }> {
  const workflow = { name: 'Report', agent_id: agentId, steps: [FIND, SEND], ...fields };
  workflowId = (await user.client.post<{ id: string }>('/api/workflows', workflow)).json.id;
  const body = { variables: { topic: 'tea' } };
  const { json } = await user.client.post<{ run_id: string }>(`/api/workflows/${workflowId}/trigger`, body);
  const approval = await waitUntil('a step to wait', async () => (await pending())[0]);
  return { run: await reach(json.run_id, 'waiting'), approval };
}

const shown = async (runId: string) => (await user.client.get<Run>(`/api/workflows/${workflowId}/runs/${runId}`)).json;
const pending = async () => (await user.client.get<Approval[]>('/api/approvals?status=pending')).json;
const approvalOf = async ({ id }: Approval) => (await user.client.get<Approval>(`/api/approvals/${id}`)).json;
const chatOf = async ({ chat_id: id }: Run) =>
  (await user.client.get<Record<string, unknown>>(`/api/chats/${id}`)).json;
const decide = async ({ id }: Approval, body: Record<string, unknown>) =>
  user.client.post<Approval>(`/api/approvals/${id}/decision`, body);

async function reach(runId: string, status: string): Promise<Run> {
  return waitUntil(`the run to be ${status}`, async () => {
    const run = await shown(runId);
    return run.status === status ? run : undefined;
  });
}

async function watch({ chat_id: chatId }: Run): Promise<SocketClient> {
  const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  sockets.push(socket);
  return socket;
}

const messages = async ({ chat_id: id }: Run) =>
  (await user.client.get<{ content: string }[]>(`/api/chats/${id}/messages`)).json.map(({ content }) => content);

describe('a step that needs an approval', () => {
  test('is approved with its prompt as it is where the organization wants another person', async () => {
    const { run, approval } = await start();
    const admin = await registerColleague(instance.api, user, 'admin');
    const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
    const share = 'update chats set project_id = $2 where id = $1';
    await instance.api.database.system.query(share, [run.chat_id, project.id]);
    expect((await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_other_person: true })).status).toBe(200);
    const path = `/api/approvals/${approval.id}/decision`;
    expect(await admin.client.post(path, { approve: true, arguments: { prompt: '[[say own]]' } })).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('Nobody approves arguments that they have written themselves') },
    });
    const unchanged = { prompt: '[[say sent found tea]]' };
    expect((await admin.client.post(path, { approve: true, arguments: unchanged })).status).toBe(200);
    expect((await reach(run.id, 'completed')).output).toBe('sent found tea');
  });

  test('begins once two have approved it, where the organization wants two', async () => {
    expect((await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_quorum: 2 })).status).toBe(200);
    const { run, approval } = await start();
    const grace = await registerColleague(instance.api, user, 'member');
    const { json: project } = await user.client.post<{ id: string }>('/api/projects', { name: 'Shared' });
    const share = 'update chats set project_id = $2 where id = $1';
    await instance.api.database.system.query(share, [run.chat_id, project.id]);
    const path = `/api/approvals/${approval.id}/decision`;
    expect((await decide(approval, { approve: true })).json).toMatchObject({ status: 'pending' });
    expect((await decide(approval, { approve: true })).status).toBe(409);
    expect((await shown(run.id)).status).toBe('waiting');
    expect((await grace.client.post(path, { approve: true })).json).toMatchObject({ status: 'approved' });
    expect((await reach(run.id, 'completed')).output).toBe('sent found tea');
  });

  test('leaves no workflow waiting when it is denied while Temporal cannot be told', async () => {
    const { run, approval } = await start();
    const { databaseUrl, temporalAddress } = instance;
    const cutOff = await startTestApi({ databaseUrl, temporalAddress: '127.0.0.1:1' });
    const decision = { approve: false };
    await new ApiClient(cutOff.url, user.accessToken).post(`/api/approvals/${approval.id}/decision`, decision);
    await reach(run.id, 'interrupted');
    await cutOff.close();
    const text = "update workflow_runs set updated_at = updated_at - interval '11 seconds' where id = $1";
    const { database } = instance.api;
    await database.system.query(text, [run.id]);
    const connection = await Connection.connect({ address: temporalAddress });
    const client = new Client({ connection });
    await recoverDueWork({ database, client });
    const workflow = client.workflow.getHandle(agentWorkflowRunId({ orgId: user.orgId, runId: run.id }));
    await waitUntil('its workflow to end', async () =>
      (await workflow.describe()).status.name === 'COMPLETED' ? true : undefined,
    );
    await connection.close();
  });

  test('waits for it, is shown meanwhile, also to who comes later, and begins with what was approved', async () => {
    const { run, approval } = await start();
    expect(run.steps.map(({ status }) => status)).toEqual(['completed', 'waiting']);
    expect(approval).toMatchObject({
      chat_id: run.chat_id,
      workflow_id: workflowId,
      run_id: run.id,
      step: 'send',
      turn_id: null,
      call_id: null,
      tool: null,
      agent_name: 'Worker',
      label: 'Step "send" of "Report"',
      arguments: { prompt: '[[say sent found tea]]' },
    });
    const waiting = { status: 'waiting', waiting_for: 'approval', waiting_until: expect.any(String) };
    expect(await chatOf(run)).toMatchObject(waiting);
    const socket = await watch(run);
    const asked = await socket.waitFor('the step to be shown', ({ type }) => type === 'approval_requested');
    expect(asked).toMatchObject({
      approval_id: approval.id,
      task_id: run.id,
      step_name: 'send',
      step_label: approval.label,
      chat_id: run.chat_id,
    });
    const later = await watch(run);
    expect(await later.waitFor('the step to be shown again', ({ type }) => type === 'approval_requested')).toEqual(
      asked,
    );
    expect((await decide(approval, { approve: true })).json).toMatchObject({ status: 'approved' });
    await socket.waitFor('the decision', (frame) => frame['type'] === 'approval_decided');
    expect(await reach(run.id, 'completed')).toMatchObject({ output: 'sent found tea', error: null });
    await socket.waitForEnd();
    expect(socket.frames.map(({ type }) => type).filter((type) => type.startsWith('approval'))).toEqual([
      'approval_requested',
      'approval_decided',
    ]);
    expect(await chatOf(run)).toMatchObject({ status: 'idle', waiting_for: null });
    const second = await decide(approval, { approve: false });
    expect([second.status, second.json.detail]).toEqual([409, expect.stringMatching(/^The step was approved by /)]);
  });

  test('is announced to who watches, and ends the run with the reason when it is denied', async () => {
    const first = { ...FIND, prompt_template: '[[say found tea]] [[think 1s]]' };
    const workflow = { name: 'Report', agent_id: agentId, steps: [first, SEND] };
    workflowId = (await user.client.post<{ id: string }>('/api/workflows', workflow)).json.id;
    const { json } = await user.client.post<{ run_id: string }>(`/api/workflows/${workflowId}/trigger`, {});
    const socket = await watch(await shown(json.run_id));
    await socket.waitFor('the step to be shown', ({ type }) => type === 'approval_requested');
    const run = await reach(json.run_id, 'waiting');
    const approval = await waitUntil('a step to wait', async () => (await pending())[0]);
    await decide(approval, { approve: false, note: 'not on a Friday' });
    const ended = await reach(run.id, 'interrupted');
    expect(ended.error).toMatch(/^The step "send" was denied by .+: not on a Friday$/);
    expect(ended.output).toBe('found tea');
    expect(await messages(run)).toHaveLength(2);
    await socket.waitFor('the decision', (frame) => frame['status'] === 'denied');
  });

  test('is sent with another prompt when it is approved with one', async () => {
    const first = { name: 'only', prompt_template: '[[say {{ topic }}]]', approval: true };
    const { run, approval } = await start({ steps: [first] });
    for (const wrong of [{ text: 'x' }, { prompt: '' }, { prompt: 5 }, { prompt: 'x', more: 1 }, { prompt: ' ' }])
      expect((await decide(approval, { approve: true, arguments: wrong })).status).toBe(422);
    const edited = { prompt: '[[say coffee]]' };
    const { json } = await decide(approval, { approve: true, arguments: edited });
    expect(json).toMatchObject({ arguments: { prompt: '[[say tea]]' }, edited_arguments: edited });
    expect(await reach(run.id, 'completed')).toMatchObject({ output: 'coffee', prompt: '[[say coffee]]' });
    expect(await messages(run)).toEqual(['[[say coffee]]', 'coffee']);
  });

  test('begins with what was approved when its workflow was changed meanwhile', async () => {
    const { run, approval } = await start();
    const changed = { steps: [FIND, { ...SEND, prompt_template: '[[say everything deleted]]' }] };
    expect((await user.client.patch(`/api/workflows/${workflowId}`, changed)).status).toBe(200);
    await decide(approval, { approve: true });
    expect(await reach(run.id, 'completed')).toMatchObject({ output: 'sent found tea' });
  });

  const meanwhile: readonly [how: string, happens: () => Promise<unknown>][] = [
    ['40 days', async () => undefined],
    ['40 days, over a new worker', async () => instance.killWorkers().then(async () => instance.addWorker())],
  ];
  test.each(casesOf(meanwhile))(
    'waits %s, beyond the time limit of its run, and takes one decision of two',
    async (_how, happens) => {
      const { run, approval } = await start({ time_limit_minutes: 60 });
      await passTime(instance.api.database, '40 days');
      await happens();
      expect(await shown(run.id)).toMatchObject({ status: 'waiting' });
      const answers = await Promise.all([true, false, true].map(async (approve) => decide(approval, { approve })));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
      const approved = (await approvalOf(approval)).status === 'approved';
      const ended = await reach(run.id, approved ? 'completed' : 'interrupted');
      expect(ended.steps.at(-1)).toMatchObject({ attempts: approved ? 1 : 0 });
    },
  );

  test('may make calls that wait 40 days, while the time limit of its run stands still', async () => {
    const asking = { name: 'Careful', tools: ['file_write'], requires_approval: { file_write: 'always' } };
    agentId = await createAgent(user.client, asking);
    const call = '[[tool file_write {"path": "a.txt", "content": "x"}]] [[then]] [[say written]]';
    const { run, approval } = await start({
      steps: [{ name: 'write', prompt_template: call }],
      time_limit_minutes: 60,
    });
    const { database } = instance.api;
    await passTime(database, '40 days');
    await waitUntil('the workflow to see the run', async () => {
      const text = 'select seen_version = version as "wasSeen" from workflow_runs where id = $1';
      const { rows } = await database.system.query<{ wasSeen: boolean }>(text, [run.id]);
      return rows[0]?.wasSeen === true ? true : undefined;
    });
    await reach(run.id, 'waiting');
    await decide(approval, { approve: true });
    expect(await reach(run.id, 'completed')).toMatchObject({ output: 'written' });
  });

  test('counts with its prompts as work of the organization, as long as its run is kept', async () => {
    const { system } = instance.api.database;
    const counted = async () => {
      const { rows } = await system.query<{ bytes: string; stored: string }>(
        `select ${totalOfOwner('$1', 'work_bytes')} as bytes, (select coalesce(sum(bytes), 0) from (
            select bytes from workflow_runs where org_id = $1 union all select bytes from approvals where org_id = $1
          ) stored) as stored`,
        [user.orgId],
      );
      return { bytes: Number(rows[0]?.bytes), stored: Number(rows[0]?.stored) };
    };
    const { run, approval } = await start();
    const asked = await counted();
    expect(asked.bytes).toBe(asked.stored);
    const edited = { prompt: `[[say yes]] ${'x'.repeat(10_000)}` };
    await decide(approval, { approve: true, arguments: edited });
    await reach(run.id, 'completed');
    const decided = await counted();
    expect([decided.bytes, decided.bytes > asked.bytes + 10_000]).toEqual([decided.stored, true]);
    await user.client.delete(`/api/workflows/${workflowId}`);
    expect(await counted()).toEqual({ bytes: 0, stored: 0 });
  });

  test('fails its run when nobody decides in time', async () => {
    const { run, approval } = await start();
    const socket = await watch(run);
    await passTime(instance.api.database, '91 days');
    expect(await reach(run.id, 'failed')).toMatchObject({ error: 'Nobody has approved the step "send" in time.' });
    expect(await approvalOf(approval)).toMatchObject({ status: 'expired' });
    await socket.waitFor('the end of the wait', (frame) => frame['status'] === 'expired');
    const late = await decide(approval, { approve: true });
    expect(late.status).toBe(409);
    const { json: entries } = await user.client.get(`/api/audit?record_id=${approval.id}`);
    expect(entries).toMatchObject([{ action: 'approvals.expire', related_ids: [agentId], fields: [] }]);
  });

  test('waits no longer when its run or its chat is interrupted, or the conversation deleted', async () => {
    const ends = [
      async ({ id }: Run) => user.client.post(`/api/workflows/${workflowId}/runs/${id}/interrupt`),
      async ({ chat_id: id }: Run) => user.client.post(`/api/chats/${id}/interrupt`),
      async ({ chat_id: id }: Run) => user.client.delete(`/api/chats/${id}`),
    ];
    for (const end of ends) {
      const { run, approval } = await start();
      await end(run);
      await reach(run.id, 'interrupted');
      expect(await pending()).toEqual([]);
      expect((await decide(approval, { approve: true })).status).toBeGreaterThanOrEqual(404);
    }
  });

  test('waits no longer when the user of its run leaves the organization', async () => {
    const { run: other } = await start();
    const member = await registerColleague(instance.api, user, 'member');
    const body = { variables: { topic: 'tea' } };
    const { json } = await member.client.post<{ run_id: string }>(`/api/workflows/${workflowId}/trigger`, body);
    const asked = await waitUntil('the step of the colleague to wait', async () => {
      const { json: list } = await member.client.get<Approval[]>('/api/approvals?status=pending');
      return list.find(({ run_id: id }) => id === json.run_id);
    });
    expect((await member.client.post(`/api/orgs/${user.orgId}/leave`)).status).toBe(200);
    expect(await reach(json.run_id, 'failed')).toMatchObject({
      error: 'The user in whose name it runs is no longer a member of the organization.',
    });
    const { rows } = await instance.api.database.system.query('select status from approvals where id = $1', [asked.id]);
    expect(rows).toEqual([{ status: 'cancelled' }]);
    expect(await shown(other.id)).toMatchObject({ status: 'waiting' });
  });
});
