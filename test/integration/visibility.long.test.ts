import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { startTemporal } from '../../scripts/stack/temporal/start-temporal.ts';
import { startBareTemporal } from '../support/bare-temporal.ts';
import { freePort } from '../support/free-port.ts';
import { addSearchAttributes, complete, makeWorkflows } from '../support/listed-workflows.ts';
import { sharedServices } from '../support/shared-services.ts';
import { Undo } from '../support/undo.ts';
import { waitUntil } from '../support/wait-until.ts';

// The embedded server's file is slimmed (scripts/stack/temporal/slim-visibility.ts). Here a server with a slim file is
// asked about workflows from before and after that; then a server with the same file in which everything that was
// dropped is back.

const QUERIES = [
  '',
  "WorkflowType = 'conversation'",
  "WorkflowType IN ('subAgent', 'other')",
  "WorkflowType != 'conversation'",
  "WorkflowType STARTS_WITH 'con'",
  "WorkflowId = 'new/continued'",
  "WorkflowId STARTS_WITH 'old/'",
  "WorkflowId BETWEEN 'old/completed' AND 'old/open'",
  "ExecutionStatus = 'Running'",
  "ExecutionStatus = 'Running' AND WorkflowType = 'conversation'",
  "ExecutionStatus = 'Completed'",
  "ExecutionStatus IN ('Failed', 'TimedOut')",
  "ExecutionStatus = 'Terminated' AND WorkflowType = 'subAgent'",
  "ExecutionStatus = 'ContinuedAsNew'",
  "TaskQueue = 'old/open'",
  "StartTime > '2020-01-01T00:00:00Z'",
  "ExecutionTime > '2020-01-01T00:00:00Z'",
  "CloseTime > '2020-01-01T00:00:00Z'",
  'CloseTime IS NULL',
  'HistoryLength > 3',
  'HistorySizeBytes > 100',
  'StateTransitionCount > 1',
  'ExecutionDuration > 0',
  "ParentWorkflowId = 'old/parent'",
  "RootWorkflowId = 'new/parent'",
  "BuildIds = 'unversioned:build'",
  "BuildIds != 'unversioned:build'",
  'BuildIds IS NULL',
  "TemporalChangeVersion = 'step-1'",
  "TemporalScheduledById = 'new'",
  "TemporalNamespaceDivision = 'TemporalScheduler'",
  "Color = 'red'",
  "Words = 'FOX'",
  "Words = 'hen fox'",
  "Words != 'fox'",
  "Tags = 'a'",
  "Tags IN ('a', 'c')",
  "Tags NOT IN ('a', 'c')",
  'Tags IS NOT NULL',
  'Amount >= 3',
  "Color = 'red' OR (Tags = 'c' AND ExecutionStatus != 'Running')",
  "WorkflowId STARTS_WITH 'new/' AND BuildIds = 'unversioned:build' AND Tags = 'b'",
];

type Answers = Awaited<ReturnType<typeof askAll>>;

const undo = new Undo();
let ofSlim: Answers;
let ofWhole: Answers;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-visibility-'));
  undo.add(() => rmSync(folder, { recursive: true, force: true }));
  const [slim, original, whole] = ['slim.db', 'original.db', 'whole.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await withBareServer(slim, async (client) => {
    await addSearchAttributes(client);
    await makeWorkflows(client, 'old');
    await makeSchedules(client, 'old');
  });
  copyFileSync(slim, original);
  await withServer(slim, async (client) => {
    await complete(client, 'old/untold', { Tags: { type: 'KeywordList', value: ['c', 'a'] } });
    await makeWorkflows(client, 'new');
    await makeSchedules(client, 'new');
    ofSlim = await askAll(client);
  });
  copyFileSync(slim, whole);
  putBack(whole, original);
  await withBareServer(whole, async (client) => {
    ofWhole = await askAll(client);
  });
});
afterAll(async () => undo.all());

describe('a server whose file was slimmed', () => {
  test.each(QUERIES)('lists and counts what it would list and count otherwise, in the same order: %s', (query) => {
    expect(ofSlim.lists[query]?.executions.length).toBeGreaterThan(0);
    expect(ofSlim.lists[query]?.executions).toHaveLength(Number(ofSlim.counts[query]?.count));
    expect(ofSlim.lists[query]).toEqual(ofWhole.lists[query]);
    expect(ofSlim.counts[query]).toEqual(ofWhole.counts[query]);
    expect(ofSlim.groups[query]).toEqual(ofWhole.groups[query]);
  });

  test('describes each workflow as otherwise', () => {
    expect(ofSlim.descriptions.length).toBeGreaterThan(20);
    expect(ofSlim.descriptions).toEqual(ofWhole.descriptions);
  });

  test('lists and describes the schedules that were not deleted, as otherwise', () => {
    expect(ofSlim.schedules.map(({ scheduleId }) => scheduleId).toSorted()).toEqual(['new', 'old']);
    expect(ofSlim.schedules).toEqual(ofWhole.schedules);
    expect(ofSlim.scheduleDescriptions).toEqual(ofWhole.scheduleDescriptions);
  });
});

async function withBareServer(dbFile: string, use: (client: Client) => Promise<void>): Promise<void> {
  const temporal = await startBareTemporal(dbFile);
  undo.add(temporal.stop);
  await useServer(temporal, use);
}

async function withServer(dbFile: string, use: (client: Client) => Promise<void>): Promise<void> {
  writeFileSync(`${dbFile}.complete`, '');
  const { temporalBinary: binary } = sharedServices();
  const temporal = await startTemporal({ binary, dbFile, port: await freePort(), log: () => undefined });
  undo.add(temporal.stop);
  await useServer(temporal, use);
  edit(dbFile, (database) => {
    expect(database.prepare("select 1 from sqlite_schema where name like 'everturn%'").all()).toHaveLength(6);
    // Into one file, without a log beside it.
    database.exec('pragma journal_mode=delete');
  });
}

async function useServer(
  { address, stop }: { readonly address: string; stop(): Promise<void> },
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect({ address });
  await use(new Client({ connection }));
  await connection.close();
  await stop();
}

/** Makes a schedule that has been fired and is paused, and one that fires by itself and is then deleted. */
async function makeSchedules(client: Client, scheduleId: string): Promise<void> {
  const action = { type: 'startWorkflow', workflowType: 'conversation', taskQueue: 'scheduled' } as const;
  const kept = await client.schedule.create({
    scheduleId,
    spec: { intervals: [{ every: '30 days' }] },
    action: { ...action, workflowId: `${scheduleId}-kept` },
    state: { paused: true },
  });
  await kept.trigger();
  const deleted = await client.schedule.create({
    scheduleId: `${scheduleId}-deleted`,
    spec: { intervals: [{ every: '1s' }] },
    action: { ...action, workflowId: `${scheduleId}-deleted` },
  });
  await waitUntil('the list of a schedule that has fired by itself', async () => {
    for await (const listed of client.schedule.list())
      if (listed.scheduleId === deleted.scheduleId && (listed.info?.recentActions.length ?? 0) > 0) return true;
    return undefined;
  });
  await deleted.delete();
  await waitUntil('the list of the schedules that are left', async () => {
    const fired = [];
    for await (const { scheduleId: id, info } of client.schedule.list())
      if (info?.recentActions.length === 1) fired.push(id);
    const { count } = await client.workflow.count(`TemporalScheduledById = '${scheduleId}'`);
    return (count === 1 && fired.includes(scheduleId) && !fired.includes(deleted.scheduleId)) || undefined;
  });
}

/** Resolves to what a server tells about all its workflows and schedules. */
async function askAll(client: Client) {
  const { workflowService, schedule } = client;
  const namespace = 'default';
  const lists: Record<string, { executions: unknown[]; pages: number }> = {};
  const counts: Record<string, { count: unknown }> = {};
  const groups: Record<string, unknown> = {};
  for (const query of QUERIES) {
    const executions = [];
    let nextPageToken: Uint8Array | undefined;
    let pages = 0;
    do {
      const page = await workflowService.listWorkflowExecutions({
        namespace,
        query,
        pageSize: 3,
        ...(nextPageToken && { nextPageToken }),
      });
      executions.push(...plain(page.executions));
      nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
      pages++;
    } while (nextPageToken !== undefined);
    lists[query] = { executions, pages };
    counts[query] = plain(await workflowService.countWorkflowExecutions({ namespace, query }));
    const grouped = `${query} GROUP BY ExecutionStatus`;
    groups[query] = plain(await workflowService.countWorkflowExecutions({ namespace, query: grouped }));
  }
  const { executions } = await workflowService.listWorkflowExecutions({ namespace, pageSize: 100 });
  const descriptions = await Promise.all(
    executions.map(async ({ execution }) =>
      plain(await workflowService.describeWorkflowExecution({ namespace, ...(execution && { execution }) })),
    ),
  );
  const schedules = [];
  for await (const summary of schedule.list()) schedules.push(plain(summary));
  const scheduleDescriptions = await Promise.all(
    schedules.map(async ({ scheduleId }) => {
      const { raw: _, ...description } = await schedule.getHandle(scheduleId).describe();
      return plain(description);
    }),
  );
  return { lists, counts, groups, descriptions, schedules, scheduleDescriptions };
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Gives a slim file back what it lacks compared with the original, and fills the search tables from its rows. */
function putBack(dbFile: string, original: string): void {
  const statements = edit(original, schema);
  edit(dbFile, (database) => {
    for (const [name] of schema(database).filter(([key]) => key.startsWith('everturn')))
      database.exec(`drop trigger ${name}`);
    const present = new Map(schema(database));
    for (const [name, sql] of statements) if (!present.has(name)) database.exec(sql);
    expect(schema(database)).toEqual(statements);
    for (const searchTable of ['executions_visibility_fts_text', 'executions_visibility_fts_keyword_list'])
      database.exec(`insert into ${searchTable} (${searchTable}) values ('rebuild')`);
  });
}

/** Returns the names and the statements of a table's indexes and triggers. */
function schema(database: DatabaseSync): [string, string][] {
  return database
    .prepare(
      "select name, sql from sqlite_schema where tbl_name = 'executions_visibility' and sql is not null order by name",
    )
    .all()
    .map(({ name, sql }) => [String(name), String(sql)]);
}

function edit<T>(dbFile: string, change: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(dbFile, { enableDoubleQuotedStringLiterals: true });
  try {
    return change(database);
  } finally {
    database.close();
  }
}
