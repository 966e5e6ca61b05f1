import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeDelivery } from '../../test/support/stored-delivery.ts';

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
}

// Without an engine: runs are begun, and never answered.
const served = serveTestApi();
let user: TestUser;
let agentId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
});

async function add(path: string, fields: Record<string, unknown>): Promise<string> {
  const { status, json } = await user.client.post<{ id: string }>(path, { agent_id: agentId, ...fields });
  expect([path, status]).toEqual([path, 201]);
  return json.id;
}
const addWorkflow = async (fields: Record<string, unknown> = {}) =>
  add('/api/workflows', { name: 'Report', prompt_template: 'Report on {{ topic }}.', ...fields });
const addSchedule = async (fields: Record<string, unknown> = {}) =>
  add('/api/schedules', { name: 'Digest', prompt: 'Write it.', cron_expr: '@daily', ...fields });

async function trigger(path: string): Promise<string> {
  const { status, json } = await user.client.post<{ run_id: string }>(`${path}/trigger`, {});
  expect(status).toBe(202);
  return json.run_id;
}
const triggerWorkflow = async (id: string) => trigger(`/api/workflows/${id}`);
const triggerSchedule = async (id: string) => trigger(`/api/schedules/${id}`);

/** Ends a run as the worker would, without its turns. */
async function end(runId: string, status: string): Promise<void> {
  await served.api.database.system.query('update workflow_runs set status = $2, completed_at = now() where id = $1', [
    runId,
    status,
  ]);
}

const list = async (query = '', { client } = user) => (await client.get<Shown[]>(`/api/runs${query}`)).json;
const ids = async (query = '', who = user) => (await list(query, who)).map(({ id }) => id);

describe('the runs of an organization', () => {
  test('are those of workflows and schedules: open ones first, then the newest, by pages', async () => {
    const [workflow, schedule] = [await addWorkflow(), await addSchedule({ overlap: 'allow_all' })];
    const first = await triggerWorkflow(workflow);
    const second = await triggerSchedule(schedule);
    const third = await triggerSchedule(schedule);
    const fourth = await triggerWorkflow(workflow);
    await end(fourth, 'completed');
    await end(second, 'interrupted');
    expect(await ids()).toEqual([third, first, fourth, second]);
    const page = await user.client.get<Shown[]>('/api/runs?limit=2&offset=1');
    expect(page.json.map(({ id }) => id)).toEqual([first, fourth]);
    expect(page.headers.get('x-total-count')).toBe('4');
    expect(page.headers.get('link')).toContain('offset=3');
  });

  test('say what they are of, and lead to their conversation and their turn', async () => {
    const run = await triggerWorkflow(await addWorkflow());
    const turn = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21';
    const [shown] = await list();
    expect(shown).toMatchObject({
      id: run,
      kind: 'workflow',
      schedule_id: null,
      name: 'Report',
      agent_ids: [agentId],
      chat_id: expect.any(String),
      user_id: user.id,
      triggered_by: 'manual',
      step_count: 1,
      slot: null,
    });
    await served.api.database.system.query('delete from turns where run_id = $1', [run]);
    expect(await list()).toMatchObject([{ turn_id: null, step: 0 }]);
    await served.api.database.system.query(
      `insert into turns (id, org_id, chat_id, user_id, status, run_id, run_step, run_attempt)
        select $2::uuid, org_id, chat_id, user_id, 'running', id, 0, 2 from workflow_runs where id = $1`,
      [run, turn],
    );
    expect(await list()).toMatchObject([{ turn_id: turn, step: 1 }]);
  });

  test('of schedules name their schedule, and the state that they end in', async () => {
    const schedule = await addSchedule();
    const run = await triggerSchedule(schedule);
    await end(run, 'interrupted');
    expect(await list()).toMatchObject([
      { id: run, kind: 'schedule', schedule_id: schedule, workflow_id: null, name: 'Digest', status: 'interrupted' },
    ]);
  });

  test('are narrowed by state, kind, trigger, agent and time', async () => {
    const other = await createAgent(user.client, { name: 'Other' });
    const ofWorkflow = await triggerWorkflow(await addWorkflow());
    const ofSchedule = await triggerSchedule(await addSchedule({ agent_id: other }));
    await served.api.database.system.query("update workflow_runs set triggered_by = 'cron' where id = $1", [
      ofSchedule,
    ]);
    await end(ofWorkflow, 'failed');
    const [yesterday, tomorrow] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    for (const [query, expected] of [
      ['status=failed', [ofWorkflow]],
      ['status=completed', []],
      ['kind=schedule', [ofSchedule]],
      ['kind=workflow', [ofWorkflow]],
      ['triggered_by=schedule', [ofSchedule]],
      ['triggered_by=manual', [ofWorkflow]],
      [`agent_id=${other}`, [ofSchedule]],
      [`kind=workflow&agent_id=${other}`, []],
      [`from=${yesterday}&to=${tomorrow}`, [ofSchedule, ofWorkflow]],
      [`to=${yesterday}`, []],
      [`from=${tomorrow}`, []],
    ] as const)
      expect([query, await ids(`?${query}`)]).toEqual([query, expected]);
    const open = (
      await Promise.all(['queued', 'running', 'waiting'].map(async (state) => ids(`?status=${state}`)))
    ).flat();
    expect(open).toEqual([ofSchedule]);
    const faulty = await user.client.get<{ detail: unknown }>('/api/runs?from=yesterday');
    expect([faulty.status, faulty.json.detail]).toMatchObject([422, [{ loc: ['query', 'from'] }]]);
  });

  test('are narrowed to those of which a report was given up', async () => {
    const [lost] = [await triggerWorkflow(await addWorkflow()), await triggerSchedule(await addSchedule())];
    const config = { url: 'https://hooks.example.com/reports' };
    const hook = { name: 'Hook', kind: 'webhook', config };
    const { json: destination } = await user.client.post<{ id: string }>('/api/destinations', hook);
    const { orgId, id: userId } = user;
    const subject = { run_id: lost };
    await storeDelivery(served.api, { orgId, userId, owner: { destination_id: destination.id }, subject });
    expect(await ids('?undelivered=true')).toEqual([lost]);
    expect(await ids('?undelivered=true&kind=schedule')).toEqual([]);
    expect(await ids('?undelivered=false')).toHaveLength(2);
  });

  test('with agents that somebody may not use are not there for them', async () => {
    const allowed = await createAgent(user.client, { name: 'Allowed' });
    const seen = [
      await triggerWorkflow(await addWorkflow({ agent_id: allowed })),
      await triggerSchedule(await addSchedule({ agent_id: allowed })),
    ];
    await triggerSchedule(await addSchedule());
    const step = { name: 'a', prompt_template: 'x', agent_id: allowed };
    await triggerWorkflow(
      await addWorkflow({
        agent_id: allowed,
        prompt_template: '',
        steps: [step, { ...step, name: 'b', agent_id: agentId }],
      }),
    );
    const member = await registerColleague(served.api, user, 'member');
    const { json: group } = await user.client.post<{ id: string }>('/api/permissions/groups', {
      name: 'Automation',
      permissions: ['schedules.view', 'agents.view'],
      capabilities: { agent_ids: [allowed] },
    });
    await user.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: [member.id] });
    const answer = await member.client.get<Shown[]>('/api/runs?limit=1');
    expect(answer.headers.get('x-total-count')).toBe('2');
    expect(await ids('', member)).toEqual(seen.toReversed());
    expect(await ids(`?agent_id=${agentId}`, member)).toEqual([]);
    expect(await list()).toHaveLength(4);
  });
});
