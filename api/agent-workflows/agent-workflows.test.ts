import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { findOverdueRuns, forgetSeenRuns, noteSeen } from '../../db/agent-workflows/runs/run-queue.ts';
import { purgeOldRuns } from '../../db/agent-workflows/runs/purge-runs.ts';
import { readRunState } from '../../db/agent-workflows/runs/run-state.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

interface Workflow {
  readonly is_active: boolean;
  readonly id: string;
  readonly owner_id: string;
  readonly variables: readonly string[];
}

interface Run {
  readonly id: string;
  readonly chat_id: string;
  readonly status: string;
  readonly triggered_by: string;
}

// Without an engine: runs are begun, and never answered.
const served = serveTestApi();
let user: TestUser;
let agentId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
});

const send = async (fields: Record<string, unknown> = {}) =>
  user.client.post<Workflow>('/api/workflows', {
    name: 'Report',
    agent_id: agentId,
    ...('steps' in fields ? {} : { prompt_template: 'Report on {{ topic }}.' }),
    ...fields,
  });
const add = async (fields: Record<string, unknown> = {}) => (await send(fields)).json;
const trigger = async (id: string, variables = {}, headers = {}) =>
  user.client.post<{ run_id: string }>(`/api/workflows/${id}/trigger`, { variables }, headers);
const runs = async (id: string, query = '') => (await user.client.get<Run[]>(`/api/workflows/${id}/runs${query}`)).json;
const run = async (id: string, runId: string) =>
  (await user.client.get<Run>(`/api/workflows/${id}/runs/${runId}`)).json;

/** Puts a colleague into a permission group of their own. */
async function group({ id }: TestUser, fields: Record<string, unknown>): Promise<void> {
  const { json } = await user.client.post<{ id: string }>('/api/permissions/groups', { name: 'Automation', ...fields });
  await user.client.send('PUT', `/api/permissions/groups/${json.id}/members`, { user_ids: [id] });
}

describe('a workflow', () => {
  test('has defaults, shows the variables of its prompts, and is inactive', async () => {
    const workflow = await add();
    expect(workflow).toMatchObject({
      owner_id: user.id,
      name: 'Report',
      description: '',
      trigger_type: 'manual',
      steps: [],
      variables: ['topic'],
      is_active: false,
      max_concurrent_runs: null,
      time_limit_minutes: null,
      keep_runs_days: 90,
      has_webhook_secret: false,
      webhook_url: expect.stringMatching(/\/api\/workflows\/[0-9a-f-]{36}\/webhook$/),
    });
    const steps = [
      { name: 'find', prompt_template: 'Find {{ topic }}' },
      { name: 'write', prompt_template: '{{ steps.find.output }} for {{ reader }}', retries: 2 },
    ];
    const changed = await user.client.patch<Workflow>(`/api/workflows/${workflow.id}`, { steps, prompt_template: '' });
    expect([changed.status, changed.json]).toMatchObject([200, { variables: ['topic', 'reader'] }]);
    const activated = await user.client.post(`/api/workflows/${workflow.id}/activate`);
    expect([activated.status, activated.json]).toMatchObject([200, { is_active: true }]);
  });

  test('is active when a request says so, unless nothing would start it', async () => {
    const times = { trigger_type: 'schedule', interval_minutes: 60 };
    const next_run_at = expect.any(String);
    expect(await send({ ...times, is_active: true })).toMatchObject({
      status: 201,
      json: { is_active: true, next_run_at },
    });
    const { id, is_active } = await add({ trigger_type: 'webhook', is_active: true });
    expect(is_active).toBe(true);
    const start = async () => (await user.client.as(undefined).post(`/api/workflows/${id}/webhook`, {})).status;
    expect(await start()).toBe(202);
    const change = async (changes: object) => (await user.client.patch<Workflow>(`/api/workflows/${id}`, changes)).json;
    expect(await change({ name: 'Another', is_active: false })).toMatchObject({ name: 'Another', is_active: false });
    expect(await start()).toBe(404);
    expect(await change({ is_active: true })).toMatchObject({ is_active: true });
    const before = (await user.client.get<Workflow[]>('/api/workflows')).json.length;
    expect((await send({ trigger_type: 'schedule', is_active: true })).status).toBe(422);
    expect((await user.client.get<Workflow[]>('/api/workflows')).json).toHaveLength(before);
  });

  test.each<[string, Record<string, unknown>]>([
    ['no prompt', { prompt_template: ' ' }],
    ['two steps of a name', { steps: ['a', 'a'].map((name) => ({ name, prompt_template: 'x' })) }],
    ['a step that uses a later one', { steps: [{ name: 'a', prompt_template: '{{ steps.b.output }}' }] }],
    ['a step that uses itself', { steps: [{ name: 'a', prompt_template: '{{steps.a.output}}' }] }],
    ['a step without a prompt', { steps: [{ name: 'a', prompt_template: ' ' }] }],
    ['a step with a strange name', { steps: [{ name: 'a.b', prompt_template: 'x' }] }],
    ['an approval by a name', { steps: [{ name: 'a', prompt_template: 'x', approval: 'Ada' }] }],
    ['too many steps', { steps: Array.from({ length: 21 }, (_, at) => ({ name: `s${at}`, prompt_template: 'x' })) }],
    ['too many retries', { steps: [{ name: 'a', prompt_template: 'x', retries: 6 }] }],
    ['another trigger', { trigger_type: 'cron' }],
    ['no runs at once', { max_concurrent_runs: 0 }],
    ['no time', { time_limit_minutes: 0 }],
    ['a short secret', { webhook_secret: 'short' }],
  ])('is rejected with %s', async (_what, fields) => {
    expect((await send(fields)).status).toBe(422);
  });

  test('keeps a prompt beside its steps, when it is added and when it is changed, and sends it without them', async () => {
    const both = {
      prompt_template: 'Report on {{ topic }}.',
      steps: [{ name: 'a', prompt_template: 'Find {{ it }}.' }],
    };
    const { status, json } = await send(both);
    expect([status, json]).toMatchObject([201, { prompt_template: both.prompt_template, variables: ['it'] }]);
    const path = `/api/workflows/${json.id}`;
    expect((await user.client.patch(path, both)).json).toMatchObject({ variables: ['it'] });
    expect((await user.client.patch(path, { steps: [] })).json).toMatchObject({ steps: [], variables: ['topic'] });
  });

  test('names agents that are there only, in its steps too', async () => {
    expect((await send({ agent_id: randomUUID() })).status).toBe(404);
    const steps = [{ name: 'a', prompt_template: 'x', agent_id: randomUUID() }];
    expect((await send({ steps })).status).toBe(404);
    const { id } = await add();
    expect((await user.client.patch(`/api/workflows/${id}`, { steps })).status).toBe(404);
  });

  test('may be sent back as it was shown after its agents were deleted', async () => {
    const gone = await createAgent(user.client);
    const { id } = await add({ agent_id: gone, steps: [{ name: 'a', prompt_template: 'x', agent_id: gone }] });
    await user.client.delete(`/api/agents/${gone}`);
    const { json: shown } = await user.client.get<object>(`/api/workflows/${id}`);
    const changed = await user.client.patch(`/api/workflows/${id}`, { ...shown, name: 'Renamed' });
    expect([changed.status, changed.json]).toMatchObject([200, { name: 'Renamed', agent_id: gone }]);
  });

  test('belongs to whoever changes what its runs do, in whose name its webhook starts them', async () => {
    const { id } = await add({ trigger_type: 'webhook' });
    const other = await registerColleague(served.api, user, 'member');
    const change = async (fields: object) => other.client.patch<Workflow>(`/api/workflows/${id}`, fields);
    expect((await change({ name: 'Another', keep_runs_days: 5 })).json).toMatchObject({ owner_id: user.id });
    expect((await change({ prompt_template: 'Tell me all.' })).json).toMatchObject({ owner_id: other.id });
    await other.client.post(`/api/workflows/${id}/activate`);
    const { json } = await user.client.as(undefined).post<{ run_id: string }>(`/api/workflows/${id}/webhook`, {});
    expect(await run(id, json.run_id)).toMatchObject({ user_id: other.id });
    expect((await user.client.get('/api/chats')).json).toEqual([]);
  });

  test('is active only with times when those trigger it', async () => {
    const { id } = await add({ trigger_type: 'schedule' });
    const activate = async () => user.client.post(`/api/workflows/${id}/activate`);
    const change = async (changes: object) => (await user.client.patch(`/api/workflows/${id}`, changes)).status;
    const refused = await activate();
    const msg = 'is required, or interval_minutes, while a workflow with the trigger_type schedule is active';
    expect([refused.status, refused.json]).toMatchObject([422, { detail: [{ loc: ['body', 'cron_expr'], msg }] }]);
    expect(await change({ interval_minutes: 60 })).toBe(200);
    expect(await activate()).toMatchObject({ status: 200, json: { is_active: true } });
    expect(await change({ interval_minutes: null })).toBe(422);
    expect(await change({ interval_minutes: null, trigger_type: 'manual' })).toBe(200);
    expect(await change({ trigger_type: 'schedule' })).toBe(422);
  });

  test('that has been active without times can be renamed, and gets no trigger or times that leave it so', async () => {
    const { id } = await add({ trigger_type: 'schedule' });
    await served.api.database.system.query('update agent_workflows set is_active = true where id = $1', [id]);
    const change = async (changes: object) => (await user.client.patch(`/api/workflows/${id}`, changes)).status;
    expect(await change({ name: 'Another', trigger_type: 'schedule', interval_minutes: null })).toBe(200);
    expect(await change({ timezone: 'Europe/Berlin' })).toBe(422);
    expect(await change({ interval_minutes: 60 })).toBe(200);
    expect(await change({ interval_minutes: null })).toBe(422);
  });

  test('belongs to whoever changes its secret or activates its webhook, so that they start runs in their own name', async () => {
    const { id } = await add({ trigger_type: 'manual' });
    const other = await registerColleague(served.api, user, 'member');
    const ownerAfter = async (by: TestUser, send: (client: TestUser['client']) => Promise<{ json: Workflow }>) =>
      (await send(by.client)).json.owner_id;
    const setSecret = (secret: string | null) => async (client: TestUser['client']) =>
      client.patch<Workflow>(`/api/workflows/${id}`, { webhook_secret: secret });
    const activate = async (client: TestUser['client']) => client.post<Workflow>(`/api/workflows/${id}/activate`);
    const deactivate = async (client: TestUser['client']) => client.post<Workflow>(`/api/workflows/${id}/deactivate`);
    // There is none to remove.
    expect(await ownerAfter(other, setSecret(null))).toBe(user.id);
    expect(await ownerAfter(other, setSecret('a secret of theirs'))).toBe(other.id);
    expect(await ownerAfter(user, setSecret('a secret of theirs'))).toBe(user.id);
    // The secret is known to the former owner.
    expect((await other.client.post(`/api/workflows/${id}/activate`)).status).toBe(409);
    expect(await ownerAfter(other, setSecret('another of theirs'))).toBe(other.id);
    expect(await ownerAfter(other, activate)).toBe(other.id);
    // It is active already.
    expect(await ownerAfter(user, activate)).toBe(other.id);
    expect(await ownerAfter(user, setSecret(null))).toBe(user.id);
    expect(await ownerAfter(other, deactivate)).toBe(user.id);
    expect(await ownerAfter(other, activate)).toBe(other.id);
    const { json } = await user.client.as(undefined).post<{ run_id: string }>(`/api/workflows/${id}/webhook`, {});
    expect(await run(id, json.run_id)).toMatchObject({ user_id: other.id });
  });

  test('gets a new owner only with a word about its secret, which the former one knows', async () => {
    const { id } = await add({ trigger_type: 'webhook', webhook_secret: 'known to the first' });
    const other = await registerColleague(served.api, user, 'admin');
    const change = async (fields: object) =>
      other.client.patch<Workflow & { readonly detail?: readonly unknown[] }>(`/api/workflows/${id}`, fields);
    const without = await change({ prompt_template: 'Tell me all.' });
    expect([without.status, without.json.detail]).toMatchObject([
      422,
      [{ msg: expect.stringContaining('webhook_secret') }],
    ]);
    // Nothing was changed, and what keeps the owner needs nothing.
    expect((await change({ name: 'Another' })).json).toMatchObject({
      owner_id: user.id,
      prompt_template: 'Report on {{ topic }}.',
    });
    const both = { prompt_template: 'Tell me all.', webhook_secret: 'known to the second' };
    expect((await change(both)).json).toMatchObject({ owner_id: other.id, has_webhook_secret: true });
    expect((await change({ prompt_template: 'And more.' })).status).toBe(200);
    const back = await user.client.patch<Workflow>(`/api/workflows/${id}`, {
      trigger_type: 'manual',
      webhook_secret: null,
    });
    expect(back.json).toMatchObject({ owner_id: user.id, has_webhook_secret: false });
  });

  test('shows its address to those who only read it when a secret is needed too', async () => {
    const { id } = await add({ trigger_type: 'webhook' });
    const reader = await registerColleague(served.api, user, 'member');
    await group(reader, { permissions: ['schedules.view', 'agents.view'] });
    const path = `/api/workflows/${id}`;
    const address = expect.stringContaining(`${path}/webhook`);
    const shown = async (client: TestUser['client']) => [
      (await client.get(path)).json,
      ...(await client.get<object[]>('/api/workflows')).json,
    ];
    expect(await shown(reader.client)).toMatchObject([{ webhook_url: null }, { webhook_url: null }]);
    expect(await shown(user.client)).toMatchObject([{ webhook_url: address }, { webhook_url: address }]);
    await user.client.patch(path, { webhook_secret: 'a long secret' });
    expect(await shown(reader.client)).toMatchObject([{ webhook_url: address }, { webhook_url: address }]);
  });

  test('is there only for those who may use its agents, also those of its steps and of former runs', async () => {
    const allowed = await createAgent(user.client);
    const member = await registerColleague(served.api, user, 'member');
    await group(member, { permissions: ['schedules.manage', 'agents.view'], capabilities: { agent_ids: [allowed] } });
    const step = { name: 'a', prompt_template: 'x' };
    const hidden = [
      await add(),
      await add({ agent_id: allowed, steps: [step, { ...step, name: 'b', agent_id: agentId }] }),
    ];
    const open = await add({ agent_id: allowed, steps: [step, { ...step, name: 'b', agent_id: allowed }] });
    const { client } = member;
    const listed = async () => (await client.get<Workflow[]>('/api/workflows')).json.map((each) => each.id);
    expect(await listed()).toEqual([open.id]);
    for (const { id } of hidden) {
      const { run_id: runId } = (await trigger(id, { topic: 'x' })).json;
      const path = `/api/workflows/${id}`;
      const answers = await Promise.all([
        client.get(path),
        client.patch(path, { name: 'Mine' }),
        client.delete(path),
        ...['activate', 'deactivate', 'trigger'].map(async (action) => client.post(`${path}/${action}`, {})),
        ...['runs', `runs/${runId}`, 'conversations'].map(async (read) => client.get(`${path}/${read}`)),
        client.post(`${path}/runs/${runId}/interrupt`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
      expect(await runs(id)).toMatchObject([{ id: runId, status: 'running' }]);
    }
    const path = `/api/workflows/${open.id}`;
    const { json: mine } = await client.post<{ run_id: string }>(`${path}/trigger`, {});
    expect((await client.get(`${path}/runs/${mine.run_id}`)).status).toBe(200);
    // A run is kept from them that worked with an agent which the workflow has no longer.
    await user.client.patch(path, { agent_id: agentId, steps: [step] });
    const former = (await trigger(open.id)).json.run_id;
    await user.client.patch(path, { agent_id: allowed });
    expect((await client.get<Run[]>(`${path}/runs`)).json).toMatchObject([{ id: mine.run_id }]);
    expect((await client.get(`${path}/runs/${former}`)).status).toBe(404);
    expect((await client.post(`${path}/runs/${former}/interrupt`)).status).toBe(404);
    expect((await client.post(`${path}/runs/${mine.run_id}/interrupt`)).status).toBe(200);
  });

  test('gets a secret only from those who manage webhooks', async () => {
    const member = await registerColleague(served.api, user, 'member');
    await group(member, { permissions: ['schedules.manage', 'agents.view'] });
    const { id } = await add();
    const secret = { webhook_secret: 'a long secret' };
    expect((await member.client.patch(`/api/workflows/${id}`, secret)).status).toBe(403);
    expect((await member.client.patch(`/api/workflows/${id}`, { name: 'Mine' })).status).toBe(200);
    const fields = { name: 'x', agent_id: agentId, prompt_template: 'x', ...secret };
    expect((await member.client.post('/api/workflows', fields)).status).toBe(403);
  });
});

describe('a run that is triggered', () => {
  test('runs in the name of who has triggered it, and is listed with filters', async () => {
    const { id } = await add();
    const other = await registerColleague(served.api, user, 'member');
    const path = `/api/workflows/${id}/trigger`;
    const { status, json } = await other.client.post<{ run_id: string }>(path, { variables: { topic: 7 } });
    expect(status).toBe(202);
    const theirs = await run(id, json.run_id);
    expect(theirs).toMatchObject({
      user_id: other.id,
      org_id: user.orgId,
      prompt: 'Report on 7.',
      triggered_by: 'manual',
      status: 'running',
      usage: { input_tokens: 0, output_tokens: 0 },
      steps: [{ name: 'prompt', status: 'queued', attempts: 1, agent_id: agentId }],
    });
    const mine = (await trigger(id)).json.run_id;
    const listed = async (query: string) => (await runs(id, query)).map((each) => each.id);
    expect(await listed('')).toEqual([mine, theirs.id]);
    expect(await listed(`?before=${mine}`)).toEqual([theirs.id]);
    expect(await listed('?status=running&triggered_by=manual')).toHaveLength(2);
    expect(await listed('?triggered_by=webhook')).toEqual([]);
    expect(await listed('?status=completed')).toEqual([]);
    const unknown = await user.client.get(`/api/workflows/${id}/runs?before=${randomUUID()}`);
    expect([unknown.status, unknown.json]).toEqual([404, { detail: 'Run not found' }]);
    // A conversation belongs to the user of its run.
    const { json: conversations } = await user.client.get<Run[]>(`/api/workflows/${id}/conversations`);
    expect(conversations).toHaveLength(1);
    const remove = async (chatId: string | undefined) =>
      (await user.client.delete(`/api/workflows/${id}/conversations/${chatId}`)).status;
    expect(await remove(theirs.chat_id)).toBe(404);
    expect(await remove(conversations[0]?.id)).toBe(204);
    expect((await user.client.get(`/api/workflows/${id}/conversations`)).json).toEqual([]);
    expect(await runs(id)).toHaveLength(2);
  });

  test('needs no body when its prompt needs no variables, unlike a webhook and a change', async () => {
    const { id } = await add({ prompt_template: 'Report.', is_active: true });
    const path = `/api/workflows/${id}`;
    const { status, json } = await user.client.post<{ run_id: string }>(`${path}/trigger`);
    expect([status, await run(id, json.run_id)]).toMatchObject([202, { prompt: 'Report.', variables: {} }]);
    const refused = [await user.client.post(`${path}/webhook`), await user.client.patch(path)];
    expect(refused.map((answer) => answer.status)).toEqual([422, 422]);
  });

  test('is one run for one Idempotency-Key of one person', async () => {
    const { id } = await add();
    const key = { 'idempotency-key': 'once' };
    const answers = await Promise.all(Array.from({ length: 8 }, async () => trigger(id, {}, key)));
    expect(new Set(answers.map(({ status, json }) => `${status} ${json.run_id}`)).size).toBe(1);
    const other = await registerColleague(served.api, user, 'member');
    await other.client.post(`/api/workflows/${id}/trigger`, {}, key);
    expect(await runs(id)).toHaveLength(2);
  });

  test('waits in the queue of its workflow, in order, until there is room', async () => {
    const { id } = await add({ max_concurrent_runs: 1 });
    const ids: string[] = [];
    for (const topic of ['a', 'b', 'c']) ids.push((await trigger(id, { topic })).json.run_id);
    const statuses = async () => Promise.all(ids.map(async (each) => (await run(id, each)).status));
    expect(await statuses()).toEqual(['running', 'queued', 'queued']);
    const interrupt = async (runId: string | undefined) =>
      user.client.post<Run>(`/api/workflows/${id}/runs/${runId}/interrupt`);
    const stopped = await interrupt(ids[1]);
    expect([stopped.status, stopped.json.status]).toEqual([200, 'interrupted']);
    expect((await interrupt(ids[1])).status).toBe(409);
    expect((await interrupt(randomUUID())).status).toBe(404);
    expect(await statuses()).toEqual(['running', 'interrupted', 'queued']);
    await user.client.patch(`/api/workflows/${id}`, { max_concurrent_runs: null });
    const { rows } = await served.api.database.system.query(
      'select status, seen_version < version as "isNotified" from workflow_runs where id = $1',
      [ids[2]],
    );
    expect(rows).toEqual([{ status: 'running', isNotified: true }]);
  });

  test('is not started beyond the chats of the organization, nor with an empty prompt', async () => {
    const { id } = await add({ prompt_template: '{{ topic }}' });
    expect((await trigger(id)).status).toBe(422);
    expect((await trigger(id, { topic: ' ' })).status).toBe(422);
    expect((await trigger(id, { topic: 'x'.repeat(300_000) })).status).toBe(422);
    expect(await runs(id)).toEqual([]);
  });

  test('goes with its workflow, and its conversation stays', async () => {
    const { id } = await add();
    const { chat_id: chatId } = await run(id, (await trigger(id)).json.run_id);
    expect((await user.client.delete(`/api/workflows/${id}`)).status).toBe(204);
    expect((await user.client.get(`/api/workflows/${id}/runs`)).status).toBe(404);
    expect((await user.client.get(`/api/chats/${chatId}`)).status).toBe(200);
    const { rows } = await served.api.database.system.query<{ isStopped: boolean }>(
      'select interrupt_requested_at is not null as "isStopped" from turns where chat_id = $1',
      [chatId],
    );
    expect(rows).toEqual([{ isStopped: true }]);
  });

  test('has a turn stopped that it begins while its workflow is deleted', async () => {
    const { database } = served.api;
    const { id } = await add();
    const { run_id: runId } = (await trigger(id, { topic: 'x' })).json;
    const { chat_id: chatId } = await run(id, runId);
    const { deletion } = await withOrgTransaction(database, user.orgId, async (em) => {
      await em.execute('update workflow_runs set version = version + 1 where id = ?', [runId]);
      await em.execute(
        `insert into turns (id, org_id, chat_id, user_id, run_id, run_step, run_attempt)
          select gen_random_uuid(), org_id, chat_id, user_id, run_id, 0, 2 from turns where run_id = ?`,
        [runId],
      );
      const asked = user.client.delete(`/api/workflows/${id}`);
      await waitUntil('the deletion to wait', async () => {
        const { rows } = await database.system.query(
          `select from pg_locks where not granted and pid in (
            select pid from pg_stat_activity where datname = current_database()
          )`,
        );
        return rows.length > 0 ? true : undefined;
      });
      return { deletion: asked };
    });
    expect((await deletion).status).toBe(204);
    const stopped = 'select interrupt_requested_at is not null as "isAsked" from turns where chat_id = $1';
    const { rows } = await database.system.query(stopped, [chatId]);
    expect(rows).toEqual([{ isAsked: true }, { isAsked: true }]);
  });

  test('is removed with its conversation when it was kept as long as the workflow says', async () => {
    const { id } = await add({ keep_runs_days: 2 });
    const { database } = served.api;
    const ids: string[] = [];
    for (const days of [1, 3, 4]) {
      const { run_id: runId } = (await trigger(id, { topic: 'x' })).json;
      ids.push(runId);
      await database.system.query(
        "update workflow_runs set status = 'completed', completed_at = now() - $2::int * interval '1 day' where id = $1",
        [runId, days],
      );
    }
    const [kept, , continued] = await Promise.all(ids.map(async (each) => run(id, each)));
    // Somebody went on in this one.
    await database.system.query('update turns set run_id = null where chat_id = $1', [continued?.chat_id]);
    await database.system.query("update agent_workflows set purge_at = now() - interval '1 second' where id = $1", [
      id,
    ]);
    await purgeOldRuns(database);
    expect((await runs(id)).map((each) => each.id)).toEqual([ids[0]]);
    const { json: chats } = await user.client.get<{ id: string }[]>('/api/chats');
    expect(new Set(chats.map((chat) => chat.id))).toEqual(new Set([kept?.chat_id, continued?.chat_id]));
  });
  test('has a chat that is distinct from those of people', async () => {
    const own = await createChat(user.client, agentId);
    const { id } = await add({});
    await trigger(id, { topic: 'x' });
    const [run] = await runs(id);
    const idsOf = async (query: string) =>
      (await user.client.get<{ id: string; origin: string }[]>(`/api/chats${query}`)).json.map(({ id, origin }) => [
        id,
        origin,
      ]);
    expect(await idsOf('?origin=person')).toEqual([[own, 'person']]);
    expect(await idsOf('?origin=workflow')).toEqual([[run?.chat_id, 'workflow']]);
    expect(await idsOf('')).toEqual(
      expect.arrayContaining([
        [own, 'person'],
        [run?.chat_id, 'workflow'],
      ]),
    );
    expect((await user.client.get('/api/chats?origin=agent')).status).toBe(422);
  });
  test('is kept until the address of its workflow was notified of it', async () => {
    const { database } = served.api;
    const { id } = await add({ keep_runs_days: 1, notify_url: 'https://hooks.example.com/runs' });
    await trigger(id, { topic: 'x' });
    await database.system.query(
      "update workflow_runs set status = 'completed', completed_at = now() - interval '2 days' where workflow_id = $1",
      [id],
    );
    await database.system.query(
      `insert into webhook_deliveries (id, org_id, target_id, run_id)
        select gen_random_uuid(), r.org_id, w.id, r.id from workflow_runs r join webhook_targets w using (workflow_id)
        where r.workflow_id = $1`,
      [id],
    );
    const left = async () => {
      await database.system.query('update agent_workflows set purge_at = now() where id = $1', [id]);
      await purgeOldRuns(database);
      return (await runs(id)).length;
    };
    expect(await left()).toBe(1);
    await database.system.query("update webhook_deliveries set status = 'delivered' where org_id = $1", [user.orgId]);
    expect(await left()).toBe(0);
  });

  test('are removed batch after batch, without a pause while there are more', async () => {
    const { database } = served.api;
    const { id } = await add({ keep_runs_days: 2 });
    const { run_id: runId } = (await trigger(id, { topic: 'x' })).json;
    await database.system.query(
      `update workflow_runs set status = 'completed', completed_at = now() - interval '3 days' where id = $1`,
      [runId],
    );
    await database.system.query(
      `insert into workflow_runs (id, org_id, workflow_id, user_id, triggered_by, status, variables, missing_variables,
          steps, prompt, completed_at)
        select gen_random_uuid(), org_id, workflow_id, user_id, 'webhook', 'completed', '{}', '[]', '[]', 'x', completed_at
        from workflow_runs, generate_series(1, 120) where id = $1`,
      [runId],
    );
    await database.system.query('update agent_workflows set purge_at = now() where id = $1', [id]);
    const left = async () =>
      (await database.system.query('select id from workflow_runs where workflow_id = $1', [id])).rows.length;
    const after: [boolean, number][] = [];
    for (let batch = 0; batch < 3; batch += 1) after.push([await purgeOldRuns(database), await left()]);
    expect(after).toEqual([
      [true, 71],
      [true, 21],
      [false, 0],
    ]);
  });
});

test('runs are found whose workflow has not seen a change, until it has', async () => {
  const { database } = served.api;
  const { id } = await add();
  const [first, second] = [await trigger(id, { topic: 'x' }), await trigger(id, { topic: 'x' })].map(
    ({ json }) => json.run_id,
  );
  const found = async () =>
    (await findOverdueRuns(database))
      .filter(({ orgId }) => orgId === user.orgId)
      .map(({ runId }) => runId)
      .toSorted();
  const age = async () =>
    database.system.query("update workflow_runs set updated_at = now() - interval '11 seconds' where org_id = $1", [
      user.orgId,
    ]);
  // Who has changed them may be about to wake it.
  expect(await found()).toEqual([]);
  await age();
  expect(await found()).toEqual([first, second]);
  const state = await readRunState(database, { orgId: user.orgId, runId: first ?? '' });
  if (state === undefined) throw new Error('the run has ended');
  await noteSeen(database, state);
  expect(await found()).toEqual([second]);
  // What was read before the last change is not taken for that.
  await noteSeen(database, { ...state, version: 0 });
  await database.system.query('update workflow_runs set version = version + 1 where id = $1', [first]);
  expect(await found()).toEqual([first, second]);
  await database.system.query('update workflow_runs set seen_version = version where org_id = $1', [user.orgId]);
  expect(await found()).toEqual([]);
  await forgetSeenRuns(database);
  expect(await found()).toEqual([first, second]);
});
