import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { parseOrgLimits } from '../../../../domain/orgs.ts';
import { type Policy, policyOf } from '../../../../domain/permissions/policy.ts';
import { createAgent, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { userSchedules } from '../../operations/user-schedules.ts';
import type { ToolArguments } from '../../tool.ts';
import { scheduleManage } from './schedule-manage.ts';

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly agent_id: string;
}

const served = serveTestApi();
let tools: TestTools;
let user: TestUser;
let agentId: string;

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Builder' });
});
afterAll(() => tools.close());

interface CallOptions {
  readonly policy?: Policy;
  readonly key?: string;
  readonly as?: TestUser;
  readonly hasForeignText?: boolean;
}

async function run(args: ToolArguments, options: CallOptions = {}) {
  const { policy = policyOf('member', []), key: idempotencyKey = uuidv7(), as: { orgId, id: userId } = user } = options;
  const { hasForeignText = false } = options;
  const deps = { database: served.api.database, orgLimits: parseOrgLimits('') };
  const schedules = userSchedules(
    deps,
    { orgId, userId, agentId, policy, chatId: uuidv7(), callId: idempotencyKey },
    new AbortController().signal,
  );
  return prepareCall(scheduleManage, args).run({ ...tools.context, schedules, idempotencyKey, hasForeignText });
}

const call = async <T = Shown>(args: ToolArguments, options?: CallOptions) => (await run(args, options)).value as T;
const REPORT = {
  action: 'create',
  name: 'Report',
  prompt: 'Write it',
  cron_expr: '0 9 * * 1',
  timezone: 'Europe/Berlin',
};

function bound(...agentIds: string[]): Policy {
  const lists = { agentIds, skillKeys: [], toolKeys: [], personaIds: [], providerIds: [], chainIds: [] };
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  const group = { id: 'g', permissions: ['schedules.manage'], limits, allowlists: lists, defaultChainId: null };
  return policyOf('member', [group]);
}

describe('schedule_manage', () => {
  test('adds one schedule for each call, for the agent itself, however often the call is repeated', async () => {
    const key = uuidv7();
    const [one, two] = [await call(REPORT, { key }), await call(REPORT, { key })];
    expect(two).toEqual(one);
    expect(one).toMatchObject({ id: key, name: 'Report', agent_id: agentId, is_active: true });
    const { json } = await user.client.get<Shown>(`/api/schedules/${key}`);
    expect(json).toMatchObject({ id: key, prompt: 'Write it', cron_expr: '0 9 * * 1', owner_id: user.id });
  });

  test('adds one schedule when a call is repeated while it runs', async () => {
    const key = uuidv7();
    const both = await Promise.all([call(REPORT, { key }), call(REPORT, { key })]);
    expect(both).toMatchObject([{ id: key }, { id: key }]);
  });

  test('repeats a call whose agent is gone', async () => {
    const key = uuidv7();
    const named = await createAgent(user.client, { name: 'Passing' });
    const args = { ...REPORT, agent_id: named };
    const one = await call(args, { key });
    await user.client.delete(`/api/agents/${named}`);
    expect(await call(args, { key })).toEqual(one);
  });

  test('enters each change in the audit log once, also one that is repeated after a crash', async () => {
    const key = uuidv7();
    const change = async (action: string, fields: object = {}, callId = uuidv7()) =>
      call({ action, schedule_id: key, ...fields }, { key: callId });
    for (const _attempt of [1, 2]) await call(REPORT, { key });
    await change('update', { prompt: 'Write more' });
    for (const action of ['deactivate', 'activate', 'trigger']) await change(action);
    const repeated = uuidv7();
    for (const _attempt of [1, 2]) await change('delete', {}, repeated);
    const { json } = await user.client.get<{ action: string }[]>(`/api/audit?record_id=${key}`);
    const actions = ['create', 'update', 'deactivate', 'activate', 'trigger', 'delete'];
    expect(json.map(({ action }) => action)).toEqual(actions.map((each) => `schedules.${each}`).toReversed());
    expect(json.at(-2)).toMatchObject({ actor_id: user.id, ip: 'agent', related_ids: [agentId], fields: ['prompt'] });
  });

  test('changes, pauses and deletes what its user has', async () => {
    const { id } = await call(REPORT);
    expect(await call({ action: 'update', schedule_id: id.toUpperCase(), interval_minutes: 60 })).toMatchObject({
      interval_minutes: 60,
      cron_expr: null,
    });
    const paused = await call({ action: 'deactivate', schedule_id: id });
    expect(paused).toMatchObject({ is_active: false, next_run_at: null });
    expect(await call({ action: 'activate', schedule_id: id })).toMatchObject({ is_active: true });
    expect(await call({ action: 'get', schedule_id: id })).toMatchObject({ name: 'Report' });
    expect(await call({ action: 'delete', schedule_id: id })).toEqual({ id, deleted: true });
    expect(await call({ action: 'delete', schedule_id: id })).toMatchObject({ deleted: false });
    await expect(call({ action: 'get', schedule_id: id })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('starts a run once for each call, which says that an agent has started it', async () => {
    const { id } = await call(REPORT);
    const key = uuidv7();
    const trigger = { action: 'trigger', schedule_id: id };
    const [one, two] = [
      await call<{ run_id: string }>(trigger, { key }),
      await call<{ run_id: string }>(trigger, { key }),
    ];
    expect(two.run_id).toBe(one.run_id);
    const { json } = await user.client.get(`/api/schedules/runs/${one.run_id}`);
    expect(json).toMatchObject({ schedule_id: id, triggered_by: 'agent' });
  });

  test('reaches no schedule of another user, and binds no agent that its user may not use', async () => {
    const { id } = await call(REPORT);
    const stranger = await registerUser(served.url);
    const other = await createAgent(user.client, { name: 'Other' });
    const actions = [{ action: 'get' }, { action: 'update', name: 'x' }, { action: 'trigger' }, { action: 'activate' }];
    for (const each of actions) {
      const args = { ...each, schedule_id: id };
      await expect(call(args, { as: { ...user, id: stranger.id } })).rejects.toMatchObject({ kind: 'not_found' });
      await expect(call(args, { policy: bound(other) })).rejects.toMatchObject({ kind: 'not_found' });
    }
    expect(await call({ action: 'list' }, { as: { ...user, id: stranger.id } })).toMatchObject({ total: 0 });
    const policy = bound(agentId);
    for (const agent of [other, 'Other']) {
      const named = { agent_id: agent };
      await expect(call({ ...REPORT, ...named }, { policy })).rejects.toMatchObject({ kind: 'not_found' });
      await expect(call({ action: 'update', schedule_id: id, ...named }, { policy })).rejects.toMatchObject({
        kind: 'not_found',
      });
    }
  });

  test('marks what may repeat text from outside, until its user rewrites it', async () => {
    const { id } = await call(REPORT, { hasForeignText: true });
    const get = { action: 'get', schedule_id: id };
    expect(await run(get)).toMatchObject({ isForeign: true });
    const trigger = await call<{ run_id: string }>({ action: 'trigger', schedule_id: id });
    const { json } = await user.client.get<{ chat_id: string }>(`/api/schedules/runs/${trigger.run_id}`);
    const { rows } = await served.api.database.system.query('select has_foreign_text from chats where id = $1', [
      json.chat_id,
    ]);
    expect(rows).toEqual([{ has_foreign_text: true }]);
    await user.client.patch(`/api/schedules/${id}`, { prompt: 'Write it well' });
    expect(await run(get)).toMatchObject({ isForeign: false });
  });

  test('adds no more than 50 schedules for one user', async () => {
    const busy = await registerUser(served.url);
    const own = await createAgent(busy.client, { name: 'Own' });
    const add = async () => call({ ...REPORT, agent_id: own }, { as: busy });
    for (let added = 0; added < 50; added += 1) await add();
    await expect(add()).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringContaining('50') });
    expect(await call({ action: 'list' }, { as: busy })).toMatchObject({ total: 50 });
  });

  test.each([
    { action: 'create' },
    { ...REPORT, name: 'two\nlines' },
    { ...REPORT, prompt: ' ' },
    { ...REPORT, interval_minutes: 5 },
    { ...REPORT, cron_expr: '0 0 30 2 *' },
    { ...REPORT, cron_expr: '* * * * * *' },
    { ...REPORT, timezone: 'Mars/Base' },
    { action: 'update' },
    { action: 'trigger' },
  ])('says what is missing or wrong in %j', async (args) => {
    await expect(call(args)).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test.each([
    ['list', 'read', 'never'],
    ['get', 'read', 'never'],
    ['create', 'keyed', 'writes'],
    ['update', 'keyed', 'writes'],
    ['delete', 'keyed', 'writes'],
    ['activate', 'keyed', 'never'],
    ['deactivate', 'keyed', 'never'],
    ['trigger', 'keyed', 'never'],
  ])('of the action %s is %s, and by default a person decides about it: %s', (action, effect, approval) => {
    expect(prepareCall(scheduleManage, { action })).toMatchObject({ effect, approval });
  });
});
