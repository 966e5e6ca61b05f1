import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { housekeepingJobs } from '../../activities/housekeeping.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { enterMessages } from '../../db/search/enter-messages.ts';
import { FileStores } from '../../files/file-stores.ts';
import { withClient } from '../../scripts/stack/postgres/start-postgres.ts';
import { followMarketplaceIndexes } from '../../worker/periodic-jobs.ts';
import { recoverDueWork } from '../../worker/recover-due-work.ts';
import { ApiClient } from '../support/api-client.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { inLength } from '../support/in-length.ts';
import { registerColleague } from '../support/people.ts';
import { sharedPostgres, withDatabase } from '../support/shared-services.ts';
import { startTestApi } from '../support/test-api.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startOwnInstance, type TestInstance } from '../support/test-instance.ts';
import { describeTurnStatements } from './describe-turn-statements.ts';
import { fillDatabase } from './fill-database.ts';
import { pagesScanned, tablesReadWhole, valuesFound } from './plan.ts';
import { playTurns } from './play-turns.ts';
import { runRareStatements } from './run-rare-statements.ts';
import { StatementRecorder } from './statement-recorder.ts';

/** Pages of 8 KiB that the scans of one statement may look at: the smallest of the large tables has more. */
const MAX_PAGES = 300;
/** What a statement may look at besides for each value that it has found by descending an index. */
const PAGES_OF_A_VALUE = 10;

/**
 * Tables of one row, those of roles and databases, which a process reads when it connects, those that housekeeping
 * empties all the time, and that of the workers that run.
 */
const SMALL: ReadonlySet<string> = new Set([
  'usage_count',
  'installation',
  'search_progress',
  'pg_authid',
  'pg_database',
  'changed_messages',
  'message_size_changes',
  'purged_orgs',
  'work_usage_changes',
  'workers',
]);

/** The files whose statements belong to turns, but for those that only requests send. */
const OF_TURNS = [
  'db/turns/**/*.ts',
  'db/stream/*.ts',
  'db/*/for-turn.ts',
  'db/files/files.ts',
  'db/providers/account-condition.ts',
];

const OF_REQUESTS: ReadonlySet<string> = new Set([
  // Sent when a message is refused, to say which bound is reached; `accept-message` has looked at the same before.
  'count-open-turns',
  'list-shared-accounts',
  'usable-accounts',
  'list-prompt-memories',
  'list-chat-files',
  'find-readable-file',
  'get-file-of-document',
  'delete-chat-file',
  'chat-for-files',
  'get-chat-file',
  // By the key of the chunk, as files are stored and downloaded.
  'store-file-chunk',
  'read-file-chunk',
]);

/** Filling the database takes minutes on a machine that has other things to do. */
const PATIENCE_MS = 900_000;

let recorder: StatementRecorder;
let instance: TestInstance;
let owner: TestUser;
let member: TestUser;
let agentId: string;

const chats = inLength(10_000, 100_000);

beforeAll(async () => {
  const database = await createTestDatabase();
  const superuserUrl = withDatabase((await sharedPostgres()).adminUrl, new URL(database.url).pathname.slice(1));
  await register(database.url);
  await fillDatabase(superuserUrl, { orgId: member.orgId, userId: member.id, agentId }, chats);
  await reportPlans(superuserUrl);
  recorder = await StatementRecorder.start(database.url);
  instance = await startOwnInstance({
    database: { ...database, url: recorder.url },
    worker: { MAX_TURNS_PER_USER: '2', MAX_CALLS_PER_USER: '2' },
  });
}, PATIENCE_MS);
afterAll(async () => {
  await instance.close();
  await recorder.close();
});

test(
  'every statement of a turn and of a scan reads few pages by an index',
  async () => {
    const client = new ApiClient(instance.api.url, member.accessToken);
    await createProvider(new ApiClient(instance.api.url, owner.accessToken), instance.model.url);
    const { json: chats } = await client.get<{ id: string }[]>('/api/chats?limit=1');
    const chatId = chats[0]?.id ?? '';
    recorder.statements.length = 0;
    await playTurns(instance, { accessToken: member.accessToken, agentId, chatId });
    await runTheRest(chatId);

    expect(namesInFiles().filter((name) => !OF_REQUESTS.has(name) && !recorder.names.has(name))).toEqual([]);
    expect(new Set(tooMuch(MAX_PAGES))).toEqual(new Set());
  },
  PATIENCE_MS,
);

test('a trace, and a list of turns, read what belongs to them by an index', async () => {
  const client = new ApiClient(instance.api.url, member.accessToken);
  const { json: chats } = await client.get<{ id: string }[]>('/api/chats?limit=1');
  const path = `/api/chats/${chats[0]?.id}/turns`;
  recorder.statements.length = 0;
  const { json: turns } = await client.get<{ id: string }[]>(`${path}?limit=10`);
  const calls: string[] = [];
  for (const { id } of turns) {
    const { json: trace } = await client.get<{ steps: { id: string; kind: string }[] }>(`${path}/${id}`);
    calls.push(...trace.steps.filter(({ kind }) => kind === 'call').map((call) => `${path}/${id}/calls/${call.id}`));
  }
  expect((await client.get(calls[0] ?? '/no call')).status).toBe(200);
  expect(recorder.statements.length).toBeGreaterThan(8);
  expect(new Set(tooMuch(MAX_PAGES))).toEqual(new Set());
});

test('a search reads no table from end to end, and few pages for what few messages have', async () => {
  const client = new ApiClient(instance.api.url, member.accessToken);
  const total = async (q: string) =>
    (await client.get<{ total: number }>(`/api/chats/search?q=${encodeURIComponent(q)}`)).json.total;
  // The first search enters what was said in the last seconds, which are as many messages as were played.
  await total('zebra');
  recorder.statements.length = 0;
  for (const rare of ['zebra', 'some zeb', '"zebra words"']) expect([rare, await total(rare)]).toEqual([rare, 0]);
  expect(new Set(tooMuch(MAX_PAGES))).toEqual(new Set());
  expect(await total('some words')).toBe(1_000);
  expect(new Set(tooMuch(Number.POSITIVE_INFINITY))).toEqual(new Set());
});

test.each(['own', 'organization'])(
  'a report of %s usage reads what was used in its period, by an index',
  async (scope) => {
    const client = new ApiClient(instance.api.url, owner.accessToken);
    recorder.statements.length = 0;
    for (const kind of ['day', 'agent', 'model', 'user', 'chat']) {
      const { status } = await client.get(`/api/usage?scope=${scope}&group_by=${kind}&limit=100`);
      expect([kind, status]).toEqual([kind, 200]);
    }
    const texts = recorder.statements.map(({ text }) => text).filter((text) => text.includes('usage_totals'));
    expect(texts.length).toBeGreaterThanOrEqual(5);
    expect(new Set(tooMuch(Number.POSITIVE_INFINITY))).toEqual(new Set());
  },
);

test('a list of all runs of an organization reads those of it, by an index', async () => {
  const client = new ApiClient(instance.api.url, owner.accessToken);
  recorder.statements.length = 0;
  for (const query of [
    '',
    '&status=running',
    '&status=failed',
    '&kind=schedule',
    `&agent_id=${agentId}`,
    '&undelivered=true',
  ]) {
    const { status } = await client.get(`/api/runs?limit=10${query}`);
    expect([query, status]).toEqual([query, 200]);
  }
  const texts = recorder.statements
    .map(({ text }) => text)
    .filter((text) => text.includes('from workflow_runs r where r.org_id'));
  expect(texts).toHaveLength(6);
  expect((await client.get('/api/runs/undelivered?limit=3')).status).toBe(200);
  expect(recorder.names).toContain('list-undelivered-reports');
  expect(new Set(tooMuch(MAX_PAGES))).toEqual(new Set());
});

test('the use of the budgets of all members reads few pages of each, by an index', async () => {
  const client = new ApiClient(instance.api.url, owner.accessToken);
  recorder.statements.length = 0;
  const { json } = await client.get<{ budgets: unknown[] }[]>('/api/permissions/budgets');
  expect(json.map(({ budgets }) => budgets.length)).toEqual([0, 1]);
  expect(recorder.names).toContain('list-member-budgets');
  expect(new Set(tooMuch(MAX_PAGES))).toEqual(new Set());
});

describeTurnStatements(() => ({ instance, recorder }));

/** Registers a member with a limit and a budget, so that turns need every look that a turn can need. */
async function register(databaseUrl: string): Promise<void> {
  const api = await startTestApi({ databaseUrl, temporalAddress: '127.0.0.1:1' });
  owner = await registerUser(api.url);
  member = await registerColleague(api, owner, 'member');
  // What an owner of several organizations may hold is looked up in all of them.
  await owner.client.post('/api/orgs', { name: 'Second' });
  agentId = await createAgent(owner.client, { tools: ['agent_spawn', 'time_now', 'memory_manage'], max_subagents: 9 });
  await createAgent(owner.client, { name: 'Scout', tools: ['time_now'] });
  const group = await owner.client.post<{ id: string }>('/api/permissions/groups', { name: 'Narrow' });
  const path = `/api/permissions/groups/${group.json.id}`;
  await owner.client.patch(path, {
    permissions: ['memory.manage', 'memory.view'],
    limits: { max_concurrent_agents: 1, token_budget: 1_000_000, token_window_hours: 2 },
  });
  await owner.client.send('PUT', `${path}/members`, { user_ids: [member.id] });
  await api.close();
}

/** Has PostgreSQL tell the service's connections how it has run each of their statements. */
async function reportPlans(superuserUrl: string): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_level': 'notice',
    'auto_explain.log_format': 'json',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_parameter_max_length': '0',
  };
  const databaseName = new URL(superuserUrl).pathname.slice(1);
  await withClient(superuserUrl, async (client) => {
    for (const [name, value] of Object.entries(settings))
      await client.query(`alter role everturn_service in database ${databaseName} set ${name} = '${value}'`);
  });
}

async function* noSchedules(): AsyncGenerator<never> {}

/** Runs the scans of the worker once more, the housekeeping, and what only some turns need. */
async function runTheRest(chatId: string): Promise<void> {
  const database = await connectDatabase({ url: recorder.url, poolSize: 10 });
  try {
    // No turn is due, no organization deleted and no message unknown, so nothing is asked of the engine.
    while (!(await enterMessages(database))) continue;
    const workflowService = { describeNamespace: async () => ({}) };
    const schedule = { create: async () => undefined, getHandle: () => ({ update: async () => undefined }) };
    const withDeadline = async <T>(_deadline: number, work: () => Promise<T>) => work();
    const client = { options: {}, schedule, withDeadline, workflowService } as unknown as Client;
    const deps = { database, client };
    await recoverDueWork(deps);
    await followMarketplaceIndexes([]).run(deps);
    const jobs = housekeepingJobs({
      database,
      files: await FileStores.open(database, undefined),
      workspaceRoot: join(tmpdir(), 'no-such-workspaces'),
      deletedChatDays: 30,
      projectLogDays: 365,
      installationId: '',
      temporalSchedules: { list: noSchedules, find: async () => undefined, remove: async () => undefined },
      startOrgPurge: async () => undefined,
      resetFailing: async () => undefined,
    });
    for (const run of Object.values({ ...jobs.minute, ...jobs.hour, ...jobs.night })) await run();
    await runRareStatements(database, { orgId: member.orgId, userId: member.id, chatId });
  } finally {
    await database.close();
  }
}

/** Returns the names of the prepared statements that belong to turns. */
function namesInFiles(): string[] {
  const files = globSync(OF_TURNS).filter((path) => !path.endsWith('.test.ts'));
  const lines = files.flatMap((path) => readFileSync(path, 'utf8').match(/^.*\bname: .*'.*$/gm) ?? []);
  return lines.flatMap((line) => [...line.matchAll(/'([a-z]+(?:-[a-z]+)+)'/g)].map(([, name = '']) => name));
}

/** Returns the recorded statements that read a table from one end to the other, or look at more pages. */
function tooMuch(maxPages: number) {
  return recorder.statements
    .map(({ text, plan }) => ({
      text,
      pages: pagesScanned(plan),
      most: maxPages + PAGES_OF_A_VALUE * valuesFound(plan),
      whole: tablesReadWhole(plan).filter((table) => !SMALL.has(table)),
    }))
    .filter(({ pages, most, whole }) => pages > most || whole.length > 0);
}
