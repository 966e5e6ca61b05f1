import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { ApiClient } from '../support/api-client.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model/index.ts';
import { sharedPostgres, withDatabase } from '../support/shared-services.ts';
import { startTestApi } from '../support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startOwnInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

const run = promisify(execFile);
const SYSTEM = '-c app.scope=system';

/** Why the programs of PostgreSQL cannot be tried here, if they cannot. */
async function whyNot(): Promise<string | undefined> {
  const found = await run('pg_dump', ['--version']).catch(() => undefined);
  if (found === undefined) return 'there is no pg_dump';
  const major = Number(/\) (\d+)/.exec(found.stdout)?.[1]);
  return major < 18 ? `pg_dump ${major} is older than the server` : undefined;
}

const reason = await whyNot();
const testWithPrograms = reason === undefined ? test : test.skip;

/** With a message that nobody has answered: there is no worker. */
let database: TestDatabase;
let model: ScriptedModel;
let chat: OpenChat;
beforeAll(async () => {
  [database, model] = await Promise.all([createTestDatabase(), startScriptedModel()]);
  const api = await startTestApi({
    databaseUrl: database.url,
    temporalAddress: '127.0.0.1:1',
    privateHosts: '127.0.0.1:*',
  });
  chat = await OpenChat.create({ api, model });
  const stream = await chat.post({ content: 'before the backup' });
  expect(stream.status).toBe(200);
  chat.close();
  // It may still have entries of the audit log to store.
  await api.close();
});
afterAll(async () => {
  await model.close();
  await database.drop();
});

async function within<T>(connection: pg.ClientConfig, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The rows of each table that a connection sees. */
async function rowsOf(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const counts: [string, number][] = [];
  for (const { name } of rows) {
    const { rows: found } = await client.query<{ count: number }>(`select count(*)::int from "${name}"`);
    counts.push([name, found[0]?.count ?? 0]);
  }
  return Object.fromEntries(counts);
}

test('a backup by the service role or the owner reads every row of every organization', async () => {
  const { adminUrl, ownerUrl } = await sharedPostgres();
  const name = new URL(database.url).pathname.slice(1);
  const all = await within({ connectionString: withDatabase(adminUrl, name) }, rowsOf);
  expect(all).toMatchObject({ orgs: expect.any(Number), messages: 1 });
  for (const url of [database.url, withDatabase(ownerUrl, name)])
    expect(await within({ connectionString: url, options: `${SYSTEM} -c row_security=on` }, rowsOf)).toEqual(all);
});

testWithPrograms(
  `a backup is restored by the owner, and its chats go on with a new Temporal store${reason === undefined ? '' : ` (${reason})`}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'everturn-backup-'));
    const { ownerUrl } = await sharedPostgres();
    const name = `restored_${randomUUID().replaceAll('-', '')}`;
    try {
      const dump = join(folder, 'everturn.dump');
      const options = ['--enable-row-security', '--format=custom', `--file=${dump}`, database.url];
      await run('pg_dump', options, { env: { ...process.env, PGOPTIONS: SYSTEM } });
      await within({ connectionString: ownerUrl }, async (client) => client.query(`create database ${name}`));
      await run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${withDatabase(ownerUrl, name)}`, dump]);

      const place = { url: withDatabase(database.url, name), drop: async () => undefined };
      const restored = await startOwnInstance({ database: place });
      try {
        const client = new ApiClient(restored.api.url, chat.user.accessToken);
        const contents = await waitUntil('the answer', async () => {
          const { json } = await client.get<{ content: string }[]>(`/api/chats/${chat.id}/messages`);
          return json.length === 2 ? json.map(({ content }) => content) : undefined;
        });
        expect(contents).toEqual(['before the backup', 'You said: before the backup']);
      } finally {
        await restored.close();
      }
    } finally {
      await within({ connectionString: ownerUrl }, async (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
      await rm(folder, { recursive: true });
    }
  },
);
