import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChat, registerUser, type TestUser, uploadFile } from '../../test/support/factories.ts';
import { startTestApi, type TestApi } from '../../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { wakeOverdueWork } from './overdue-work.ts';
import { BATCH } from './sweep.ts';

let place: TestDatabase;
let api: TestApi;
let user: TestUser;
beforeAll(async () => {
  place = await createTestDatabase();
  api = await startTestApi({ databaseUrl: place.url, temporalAddress: '127.0.0.1:1' });
  user = await registerUser(api.url);
});
afterAll(async () => {
  await api.close();
  await place.drop();
});

/** Scans for overdue work; `take` is what the engine does with the id of each workflow. */
async function scan(take: (workflowId: string) => void): Promise<void> {
  const start = async (_type: string, { workflowId }: { workflowId: string }) => take(workflowId);
  const workflow = { start, signalWithStart: start };
  const engine = { withDeadline: async (_: number, work: () => unknown) => work(), workflow };
  await wakeOverdueWork.run({
    database: api.database,
    client: engine as unknown as Client,
    takeUp: () => undefined,
  });
}

async function age(table: string, column: string, id: string): Promise<void> {
  await api.database.system.query(`update ${table} set ${column} = now() - interval '1 minute' where id = $1`, [id]);
}

test('work that was stored a moment ago is left to the process that stored it', async () => {
  const chatId = await createChat(user.client);
  const [late, fresh] = [await uploadFile(user.client, chatId), await uploadFile(user.client, chatId)];
  await age('chat_files', 'updated_at', late);
  const started: string[] = [];
  await scan((id) => started.push(id));
  expect(started).toEqual([`file-text/${user.orgId}/${late}`]);
  expect(started).not.toContain(`file-text/${user.orgId}/${fresh}`);
});

test('overdue work of each kind is found', async () => {
  const { system } = api.database;
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
  await age('project_syncs', 'due_at', sync.id);
  await age('knowledge_documents', 'updated_at', document.id);
  await age('knowledge_bases', 'embedding_due_at', base.id);
  await age('webhook_targets', 'due_at', targetId);
  const woken: string[] = [];
  await scan((id) => woken.push(id));
  expect(woken).toEqual(
    expect.arrayContaining([
      `repo-tree/${user.orgId}/${added.id}`,
      `issue-sync/${user.orgId}/${added.id}/${sync.id}`,
      `issue-push/${user.orgId}/${added.id}`,
      `knowledge-document/${user.orgId}/${document.id}`,
      `knowledge-embedding/${user.orgId}/${base.id}`,
      `webhook/${user.orgId}/${targetId}`,
    ]),
  );
});

test('work whose workflow cannot be started keeps no other from it', async () => {
  const chatId = await createChat(user.client);
  await api.database.system.query(
    `insert into chat_files (id, org_id, chat_id, name, path_name, media_type, store, is_stored, updated_at)
      select gen_random_uuid(), $1, $2, place::text, place::text, 'text/plain', 'postgres', true,
        now() - interval '1 hour' - place * interval '1 second' from generate_series(0, $3::int) place`,
    [user.orgId, chatId, BATCH],
  );
  const { rows } = await api.database.system.query<{ id: string }>(
    "select id from chat_files where chat_id = $1 and name in ('0', '1') order by name",
    [chatId],
  );
  const [last, other] = rows.map(({ id }) => `file-text/${user.orgId}/${id}`);
  const started: string[] = [];
  const refuse = (id: string) => {
    if (id !== last && id !== other) throw new Error('the engine is busy');
    started.push(id);
  };
  await expect(scan(refuse)).rejects.toThrow('the engine is busy');
  expect(started).toEqual([other, last]);
});
