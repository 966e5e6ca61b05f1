import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { sharedPostgres, withDatabase } from '../support/shared-services.ts';
import { ApiClient } from '../support/api-client.ts';
import { startOwnInstance, type OwnInstance } from '../support/test-instance.ts';
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

let instance: OwnInstance;
let chat: OpenChat | undefined;
beforeAll(async () => {
  instance = await startOwnInstance();
});
afterEach(() => chat?.close());
afterAll(async () => instance.close());

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
  chat = await OpenChat.create(instance);
  const stream = await chat.post({ content: 'everything is kept' });
  await stream.waitForEnd();
  const { adminUrl, ownerUrl } = await sharedPostgres();
  const database = new URL(instance.databaseUrl).pathname.slice(1);
  const [former] = instance.workers.splice(0);
  await former?.stop();
  const all = await within({ connectionString: withDatabase(adminUrl, database) }, rowsOf);
  expect(all).toMatchObject({ orgs: expect.any(Number), messages: 2 });
  for (const url of [instance.databaseUrl, withDatabase(ownerUrl, database)])
    expect(await within({ connectionString: url, options: `${SYSTEM} -c row_security=on` }, rowsOf)).toEqual(all);
  await instance.addWorker();
});

testWithPrograms(
  `a backup is restored by the owner, and its chats go on with a new Temporal store${reason === undefined ? '' : ` (${reason})`}`,
  async () => {
    chat = await OpenChat.create(instance);
    const stream = await chat.post({ content: 'before the backup' });
    await stream.waitForEnd();
    const folder = await mkdtemp(join(tmpdir(), 'everturn-backup-'));
    const { ownerUrl } = await sharedPostgres();
    const name = `restored_${randomUUID().replaceAll('-', '')}`;
    try {
      const dump = join(folder, 'everturn.dump');
      const options = ['--enable-row-security', '--format=custom', `--file=${dump}`, instance.databaseUrl];
      await run('pg_dump', options, { env: { ...process.env, PGOPTIONS: SYSTEM } });
      await within({ connectionString: ownerUrl }, async (client) => client.query(`create database ${name}`));
      await run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${withDatabase(ownerUrl, name)}`, dump]);

      const database = { url: withDatabase(instance.databaseUrl, name), drop: async () => undefined };
      const restored = await startOwnInstance({ database });
      try {
        const client = new ApiClient(restored.api.url, chat.user.accessToken);
        const { json } = await client.get<{ content: string }[]>(`/api/chats/${chat.id}/messages`);
        expect(json.map(({ content }) => content)).toContain('before the backup');
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
