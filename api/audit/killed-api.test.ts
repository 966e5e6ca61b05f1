import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type ApiProcess, startApiProcess } from '../../test/support/api-process.ts';
import type { ApiClient } from '../../test/support/api-client.ts';
import { createAgent, registerUser } from '../../test/support/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const SENDERS = 16;

let testDatabase: TestDatabase;
let reader: pg.Client;
let api: ApiProcess;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  reader = new pg.Client({ connectionString: testDatabase.url, options: '-c app.scope=system' });
  await reader.connect();
  api = await startApiProcess(testDatabase.url);
});
afterAll(async () => {
  await api.kill();
  await reader.end();
  await testDatabase.drop();
});

/** Sends changes, one after the other, until the api is gone; `answered` takes the id of each that was answered. */
async function sendChanges(client: ApiClient, path: string, answered: string[]): Promise<void> {
  for (;;) {
    const answer = await client.post<{ id: string }>(path, { content: 'likes tea' }).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBe(201);
    answered.push(answer.json.id);
  }
}

test('every change that was answered has its entry when the api is killed under load', async () => {
  const answered: string[] = [];
  const { client } = await registerUser(api.url);
  const path = `/api/agents/${await createAgent(client)}/memories`;
  const senders = Array.from({ length: SENDERS }, async () => sendChanges(client, path, answered));
  await waitUntil('some answers', () => (answered.length >= 60 ? true : undefined));
  await api.kill();
  await Promise.all(senders);
  // An entry whose answer was lost with the process may be there as well.
  const { rows } = await reader.query<{ recordId: string }>(
    `select record_id as "recordId" from audit_log where action = 'memories.create'`,
  );
  const entries = new Set(rows.map(({ recordId }) => recordId));
  expect(answered.filter((id) => !entries.has(id))).toEqual([]);
  expect(rows).toHaveLength(entries.size);
});
