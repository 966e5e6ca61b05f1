import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { scheduleManage } from '../../activities/tools/builtin/platform/schedule-manage.ts';
import { type Policy, policyOf } from '../../domain/permissions/policy.ts';
import { callFor } from '../support/calls-for.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { registerGrouped } from '../support/people.ts';
import { type Refusal, refusalIn, refusalOf } from '../support/refusals.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { createTestTools, type TestTools } from '../support/tool-context.ts';

// Schedules are added and changed by requests and by agents, which refuse the same.

type Fields = Readonly<Record<string, unknown>>;

/** How the member adds and changes schedules. */
interface Entry {
  add(fields: Fields): Promise<Refusal>;
  change(id: string, fields: Fields): Promise<Refusal>;
  activate(id: string): Promise<Refusal>;
  delete(id: string): Promise<Refusal>;
  trigger(id: string, key: string): Promise<Refusal>;
}

const PERMISSIONS = ['agents.view', 'schedules.manage'];
const served = serveTestApi();
let tools: TestTools;
let owner: TestUser;
let member: TestUser;
let groupPath: string;
let policy: Policy;
let chatId: string;
/** The agent that makes calls, and another. */
let agentIds: string[];

beforeAll(async () => {
  tools = await createTestTools({ database: served.api.database });
});
afterAll(() => tools.close());

/** Begins an organization with a member who may use all agents. */
async function begin(): Promise<void> {
  owner = await registerUser(served.url);
  ({ member, groupPath } = await registerGrouped(served.api, owner, PERMISSIONS));
  agentIds = [await createAgent(owner.client, { name: 'Caller' }), await createAgent(owner.client, { name: 'Other' })];
  chatId = await createChat(owner.client, agentIds[0]);
  await allow([]);
}
beforeAll(begin);
afterEach(async () => allow([]));

/** Lets the member use these agents only; all of them when there are none. */
async function allow(ids: readonly string[]): Promise<void> {
  expect((await owner.client.patch(groupPath, { capabilities: { agent_ids: ids } })).status).toBe(200);
  const lists = { skillKeys: [], toolKeys: [], personaIds: [], providerIds: [], chainIds: [] };
  const limits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };
  const group = { id: 'g', permissions: PERMISSIONS, limits, allowlists: { ...lists, agentIds: ids } };
  policy = policyOf('member', [{ ...group, defaultChainId: null }]);
}

async function call(args: Fields, key = uuidv7()): Promise<Refusal> {
  const { database } = served.api;
  const caller = { orgId: owner.orgId, userId: member.id, agentId: agentIds[0] ?? '', chatId, policy, key };
  return refusalOf(callFor({ database, tools }, caller, scheduleManage, args));
}

const DAILY = { name: 'Report', prompt: 'Write it.', cron_expr: '0 9 * * *' };

const ENTRIES = {
  'a request': {
    add: async (fields) =>
      refusalIn(member.client.post('/api/schedules', { ...DAILY, agent_id: agentIds[0], ...fields })),
    change: async (id, fields) => refusalIn(member.client.patch(`/api/schedules/${id}`, fields)),
    activate: async (id) => refusalIn(member.client.post(`/api/schedules/${id}/activate`)),
    delete: async (id) => refusalIn(member.client.delete(`/api/schedules/${id}`)),
    trigger: async (id, key) =>
      refusalIn(member.client.post(`/api/schedules/${id}/trigger`, {}, { 'idempotency-key': key })),
  },
  'an agent': {
    add: async (fields) => call({ action: 'create', ...DAILY, ...fields }),
    change: async (id, fields) => call({ action: 'update', schedule_id: id, ...fields }),
    activate: async (id) => call({ action: 'activate', schedule_id: id }),
    delete: async (id) => call({ action: 'delete', schedule_id: id }),
    trigger: async (id, key) => call({ action: 'trigger', schedule_id: id }, key),
  },
} as const satisfies Record<string, Entry>;
const ALL = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];

async function addSchedule(): Promise<string> {
  const fields = { ...DAILY, agent_id: agentIds[0] };
  return (await member.client.post<{ id: string }>('/api/schedules', fields)).json.id;
}

const shown = async (id: string) => (await owner.client.get<object>(`/api/schedules/${id}`)).json;

const invalid = (words: string) => ['unprocessable', expect.stringContaining(words)];
const NO_AGENT = ['not_found', expect.stringMatching(/^Agent .*not found$/)];
const NO_SCHEDULE = ['not_found', 'Schedule not found'];

/** What neither a new schedule nor a changed one gets. */
const GIVEN = [
  { what: 'a faulty cron line', fields: () => ({ cron_expr: '60 * * * *' }), refusal: invalid('the minute "60"') },
  {
    what: 'a time that never comes',
    fields: () => ({ cron_expr: '0 0 30 2 *' }),
    refusal: invalid('never fire'),
  },
  { what: 'an unknown time zone', fields: () => ({ timezone: 'Mars/Base' }), refusal: invalid('IANA time zone') },
  { what: 'an unknown agent', fields: () => ({ agent_id: randomUUID() }), refusal: NO_AGENT },
  {
    what: 'an agent that the user may not use',
    only: () => agentIds.slice(0, 1),
    fields: () => ({ agent_id: agentIds[1] }),
    refusal: NO_AGENT,
  },
].flatMap(({ only = () => [], ...rest }) => ALL.map((entry) => ({ entry, only, ...rest })));

describe('a new schedule', () => {
  test.each(GIVEN)('does not get $what from $entry', async ({ entry, only, fields, refusal }) => {
    await allow(only());
    expect(await ENTRIES[entry].add(fields())).toEqual(refusal);
  });

  test.each(ALL)('is not bound by %s to the agent that would be taken where the user may not use it', async (entry) => {
    await allow(agentIds.slice(1));
    expect(await ENTRIES[entry].add({})).toEqual(NO_AGENT);
  });

  test('is not added where there is no room for more', async () => {
    const id = await addSchedule();
    await served.api.database.system.query(
      `insert into schedules select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).*
        from schedules s, generate_series(1, 1000) where s.id = $1`,
      [id],
    );
    const refused = await Promise.all(ALL.map(async (entry) => ENTRIES[entry].add({})));
    await begin();
    for (const refusal of refused) expect(refusal).toEqual(['conflict', expect.stringContaining('schedules')]);
  });
});

describe('a schedule', () => {
  test.each(GIVEN)('does not get $what from $entry', async ({ entry, only, fields, refusal }) => {
    const id = await addSchedule();
    const before = await shown(id);
    await allow(only());
    expect(await ENTRIES[entry].change(id, fields())).toEqual(refusal);
    expect(await shown(id)).toEqual(before);
  });

  test.each(ALL)('is not there for %s where the user may not use its agent', async (entry) => {
    const id = await addSchedule();
    await allow(agentIds.slice(1));
    const { change, activate, delete: remove } = ENTRIES[entry];
    expect(await change(id, { name: 'Ours' })).toEqual(NO_SCHEDULE);
    expect(await activate(id)).toEqual(NO_SCHEDULE);
    await remove(id);
    expect(await shown(id)).toMatchObject({ id, name: 'Report' });
  });

  test.each(ALL)('is not activated by %s once its times are over', async (entry) => {
    const id = await addSchedule();
    const past = { start_at: '2020-01-01T00:00:00Z', end_at: '2020-01-02T00:00:00Z' };
    expect((await member.client.patch(`/api/schedules/${id}`, past)).status).toBe(200);
    expect(await ENTRIES[entry].activate(id)).toEqual(invalid('The schedule would start no run'));
  });

  test.each(ALL)('is run by %s once for a key, also when another user takes it over then', async (entry) => {
    const id = await addSchedule();
    const key = uuidv7();
    const { trigger } = ENTRIES[entry];
    expect(await Promise.all([trigger(id, key), trigger(id, key)])).toEqual([undefined, undefined]);
    const changes = { prompt: 'Write more.', agent_id: agentIds[1] };
    expect((await owner.client.patch(`/api/schedules/${id}`, changes)).status).toBe(200);
    await allow(agentIds.slice(0, 1));
    expect(await trigger(id, key)).toBeUndefined();
    expect(await trigger(id, uuidv7())).toEqual(NO_SCHEDULE);
    expect((await owner.client.get<object[]>(`/api/schedules/${id}/runs`)).json).toHaveLength(1);
  });

  test.each(ALL)('gets an interval from %s instead of its cron line', async (entry) => {
    const id = await addSchedule();
    expect(await ENTRIES[entry].change(id, { interval_minutes: 30 })).toBeUndefined();
    expect(await shown(id)).toMatchObject({ cron_expr: null, interval_minutes: 30 });
  });
});
