import type { Client } from '@temporalio/client';
import { beforeEach, expect, test } from '@jest/globals';
import { findOverdueRuns, noteSeen, noteSeenEnd } from '../db/agent-workflows/runs/run-queue.ts';
import { readRunState } from '../db/agent-workflows/runs/run-state.ts';
import { createAgent, createChat, registerUser, type TestUser, uploadFile } from '../test/support/factories.ts';
import { serveTestApi } from '../test/support/serve-test-api.ts';
import { storeRuns } from '../test/support/store-runs.ts';
import { recoverDueWork } from './recover-due-work.ts';

// It finds the work of all organizations.
const served = serveTestApi({ isOwn: true });
let user: TestUser;
beforeEach(async () => {
  const { system } = served.api.database;
  await system.query('delete from workflow_runs');
  await system.query('delete from schedules');
  await system.query("update chat_files set status = 'ready' where status = 'pending'");
  user = await registerUser(served.url);
});

/** Recovers overdue work; `take` is what Temporal does with the id of each workflow and Temporal Schedule. */
async function recover(take: (id: string) => void): Promise<void> {
  const { database } = served.api;
  const start = async (_type: string, { workflowId }: { workflowId: string }) => take(workflowId);
  const create = async ({ scheduleId }: { scheduleId: string }) => take(scheduleId);
  const engine = {
    withDeadline: async (_: number, work: () => unknown) => work(),
    workflow: { start, signalWithStart: start },
    schedule: { create },
  };
  await recoverDueWork({ database, client: engine as unknown as Client });
}

/** Recovers overdue work, and returns the ids of what was started or made; `refused` are refused by Temporal. */
async function recovered(refused: readonly string[] = []): Promise<string[]> {
  const ids: string[] = [];
  const take = (id: string) => {
    if (refused.some((each) => id.endsWith(each))) throw new Error('Temporal is busy');
    ids.push(id);
  };
  if (refused.length === 0) await recover(take);
  else await expect(recover(take)).rejects.toThrow('Temporal is busy');
  return ids;
}

async function age(table: string, column: string, id: string): Promise<void> {
  await served.api.database.system.query(`update ${table} set ${column} = now() - interval '1 minute' where id = $1`, [
    id,
  ]);
}

async function see(runId: string): Promise<void> {
  const state = await readRunState(served.api.database, { orgId: user.orgId, runId });
  if (state !== undefined) await noteSeen(served.api.database, state);
}

async function addSchedules(count: number): Promise<string[]> {
  const agent_id = await createAgent(user.client);
  const fields = { name: 'Report', agent_id, prompt: 'Report.', interval_minutes: 10 };
  const ids: string[] = [];
  for (let each = 0; each < count; each += 1)
    ids.push((await user.client.post<{ id: string }>('/api/schedules', fields)).json.id);
  return ids;
}

/** Stores files whose texts should have been extracted by now, the longest ago first. */
async function storeFiles(of: TestUser, count: number): Promise<string[]> {
  const chatId = await createChat(of.client);
  const { rows } = await served.api.database.system.query<{ id: string }>(
    `insert into chat_files (id, org_id, chat_id, name, path_name, media_type, store, is_stored, updated_at)
      select gen_random_uuid(), $1, $2, nth::text, nth::text, 'text/plain', 'postgres', true,
        now() - interval '1 day' + nth * interval '1 second' from generate_series(1, $3::int) nth
      returning id`,
    [of.orgId, chatId, count],
  );
  return rows.map(({ id }) => id);
}

test('work that was stored a moment ago is left to the process that stored it', async () => {
  const chatId = await createChat(user.client);
  const [late, fresh] = [await uploadFile(user.client, chatId), await uploadFile(user.client, chatId)];
  await age('chat_files', 'updated_at', late);
  const ids = await recovered();
  expect(ids).toContain(`file-text/${user.orgId}/${late}`);
  expect(ids).not.toContain(`file-text/${user.orgId}/${fresh}`);
});

test('overdue work of each kind is found', async () => {
  const { system } = served.api.database;
  const project = {
    name: 'Site',
    repo_url: 'https://git.example.invalid/a/b',
    repo_type: 'gitea',
    sync_direction: 'both',
  };
  const { json: added } = await user.client.post<{ id: string }>('/api/projects', project);
  const { json: sync } = await user.client.post<{ id: string }>(`/api/projects/${added.id}/sync-issues`);
  const { json: base } = await user.client.post<{ id: string }>('/api/knowledge-bases', { name: 'Handbook' });
  const documents = `/api/knowledge-bases/${base.id}/documents`;
  const { json: document } = await user.client.post<{ id: string }>(documents, { text: 'Tea is at four.' });
  const { json: issue } = await user.client.post<{ id: string }>('/api/issues', { title: 'One', project_id: added.id });
  const chatId = await createChat(user.client);
  await user.client.patch(`/api/chats/${chatId}/webhook`, { url: 'https://example.invalid/hook' });
  const { rows } = await system.query<{ id: string }>('select id from webhook_targets where chat_id = $1', [chatId]);
  const targetId = rows[0]?.id ?? '';
  await system.query(
    'insert into issue_pushes (id, org_id, project_id, issue_id) select gen_random_uuid(), org_id, project_id, id from issues where id = $1',
    [issue.id],
  );
  await system.query("update issue_pushes set due_at = now() - interval '1 minute'");
  await system.query("update repo_trees set due_at = now() - interval '1 minute'");
  const { rows: revocations } = await system.query<{ id: string }>(
    `insert into integration_revocations (id, org_id, kind, sealed, created_at)
      values (gen_random_uuid(), $1, 'google', '', now() - interval '1 minute') returning id`,
    [user.orgId],
  );
  const [runId] = await storeRuns(served.api.database, user, 1);
  const [unapplied, late = ''] = await addSchedules(2);
  const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
  await system.query('update schedules set next_run_at = $2, version = 1, applied_version = 0 where id = $1', [
    late,
    slot,
  ]);
  await age('project_syncs', 'due_at', sync.id);
  await age('knowledge_documents', 'updated_at', document.id);
  await age('knowledge_bases', 'embedding_due_at', base.id);
  await age('webhook_targets', 'due_at', targetId);
  const { orgId } = user;
  expect(await recovered()).toEqual(
    expect.arrayContaining([
      `repo-tree/${orgId}/${added.id}`,
      `issue-sync/${orgId}/${added.id}/${sync.id}`,
      `issue-push/${orgId}/${added.id}`,
      `knowledge-document/${orgId}/${document.id}`,
      `knowledge-embedding/${orgId}/${base.id}`,
      `webhook/${orgId}/${targetId}`,
      `integration-revocation/${orgId}/${revocations[0]?.id}`,
      `run/${orgId}/${runId}`,
      `schedule/${orgId}/${unapplied}`,
      `schedule/${orgId}/${late}`,
      `slot/${orgId}/${late}-${slot.toISOString().replace('.000Z', 'Z')}`,
    ]),
  );
});

test('a run that has ended is woken until its workflow has seen that', async () => {
  const { database } = served.api;
  const [runId = ''] = await storeRuns(database, user, 1);
  await see(runId);
  const end = "status = 'interrupted', completed_at = now(), version = version + 1";
  await database.system.query(`update workflow_runs set ${end} where id = $1`, [runId]);
  await age('workflow_runs', 'updated_at', runId);
  const id = `run/${user.orgId}/${runId}`;
  expect(await recovered()).toContain(id);
  await noteSeenEnd(database, { orgId: user.orgId, runId });
  expect(await recovered()).not.toContain(id);
});

test('what Temporal refuses keeps no other work from being recovered, and is tried again', async () => {
  const files = await storeFiles(user, 60);
  const [refused = '', ...others] = files.map((id) => `file-text/${user.orgId}/${id}`);
  expect((await recovered([refused])).toSorted()).toEqual(expect.arrayContaining(others));
  expect(await recovered()).toContain(refused);
});

test('a schedule that cannot be applied keeps no other from it', async () => {
  const [refused = '', ...others] = await addSchedules(3);
  await recovered([refused]);
  const { rows } = await served.api.database.system.query(
    'select id from schedules where applied_version = version order by id',
  );
  expect(rows.map(({ id }) => id)).toEqual(others.toSorted());
});

test('more than are tried at once that cannot be applied keep no other from it', async () => {
  const refused = await addSchedules(60);
  await served.api.database.system.query("update schedules set next_run_at = now() - interval '1 minute'");
  const [last = ''] = await addSchedules(1);
  expect(await recovered(refused)).toContain(`schedule/${user.orgId}/${last}`);
});

test('of many failures the first are logged, and how many there are', async () => {
  await storeFiles(user, 60);
  const failure = await recover(() => {
    throw new Error('Temporal is busy');
  }).catch((error: unknown) => error);
  expect((failure as AggregateError).message).toMatch(/, [6-9]\d times: Temporal is busy$/);
  expect((failure as AggregateError).errors).toHaveLength(10);
});

test('nothing else is tried while Temporal is away', async () => {
  await storeFiles(user, 200);
  let tries = 0;
  const fail = () => {
    tries += 1;
    throw Object.assign(new Error('Temporal is away'), { code: 14 });
  };
  await expect(recover(fail)).rejects.toThrow('Temporal is away');
  expect(tries).toBeLessThan(100);
});

test('more than a batch is recovered by one scan, each thing once, and keeps nobody waiting', async () => {
  await storeFiles(user, 2_600);
  const other = await registerUser(served.url);
  const files = await storeFiles(other, 2);
  await served.api.database.system.query('update chat_files set updated_at = now() - $2::interval where id = any($1)', [
    files,
    '1 hour',
  ]);
  const ids = await recovered();
  expect(ids.slice(0, 100)).toEqual(expect.arrayContaining(files.map((id) => `file-text/${other.orgId}/${id}`)));
  const ofUser = ids.filter((id) => id.startsWith(`file-text/${user.orgId}/`));
  expect([ofUser.length, new Set(ofUser).size]).toEqual([2_600, 2_600]);
});

test('runs are woken, more than are tried at once, until their workflows have seen them', async () => {
  const runIds = await storeRuns(served.api.database, user, 60);
  const ids = (left: readonly string[]) => left.map((id) => `run/${user.orgId}/${id}`).toSorted();
  const woken = async () => (await recovered()).filter((id) => id.startsWith('run/')).toSorted();
  expect(await woken()).toEqual(ids(runIds));
  for (const runId of runIds.slice(1)) await see(runId);
  expect(await woken()).toEqual(ids(runIds.slice(0, 1)));
});

test('queued runs that may begin do so in order, and the others are left alone', async () => {
  const { database } = served.api;
  const [first, ...others] = await storeRuns(database, user, 3, { max_concurrent_runs: 1 });
  const due: string[] = [];
  database.onDueWork((work) => {
    if (work.kind === 'run') due.push(work.runId);
  });
  await recovered();
  expect(due).toEqual([first]);
  const { rows } = await database.system.query(
    'select id from workflow_runs where completed_at is null and seen_version = version order by id',
  );
  expect(rows).toEqual(others.map((id) => ({ id })));
  expect(await findOverdueRuns(database)).toEqual([]);
});
