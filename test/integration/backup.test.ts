import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Database } from '../../db/core/database.ts';
import { keyIdOf, SecretBox } from '../../db/core/secret-box.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { encryptAnew } from '../../db/secrets.ts';
import { parseFilesLocation } from '../../domain/files.ts';
import { FileStores } from '../../files/file-stores.ts';
import { restoreBackup } from '../../operator/backup/restore-backup.ts';
import { type BackupSource, writeBackup } from '../../operator/backup/write-backup.ts';
import { checksOf } from '../../operator/doctor/checks.ts';
import { runChecks } from '../../operator/doctor/run-checks.ts';
import { Refusal } from '../../operator/program.ts';
import { ApiClient } from '../support/api-client.ts';
import { uploadFile } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model/index.ts';
import { recoverDueWork } from '../support/recover-due-work.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { sharedPostgres, withDatabase } from '../support/shared-services.ts';
import { startTestApi, TEST_SECRET_KEY } from '../support/test-api.ts';
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
let s3: S3Server;
let model: ScriptedModel;
let chat: OpenChat;
let fileId: string;
let scheduleId: string;
/** The slot that the schedule has missed. */
let missed: Date;
beforeAll(async () => {
  [database, model, s3] = await Promise.all([createTestDatabase(), startScriptedModel(), startS3Server()]);
  const api = await startTestApi({
    databaseUrl: database.url,
    temporalAddress: '127.0.0.1:1',
    privateHosts: '127.0.0.1:*',
    filesUrl: s3.filesUrl,
  });
  chat = await OpenChat.create({ api, model });
  const stream = await chat.post({ content: 'before the backup' });
  expect(stream.status).toBe(200);
  fileId = await uploadFile(chat.user.client, chat.id, { content: 'kept elsewhere' });
  const agents = await chat.user.client.get<{ id: string }[]>('/api/agents');
  const schedule = await chat.user.client.post<{ id: string }>('/api/schedules', {
    name: 'Report',
    agent_id: agents.json[0]?.id,
    interval_minutes: 600,
    prompt: '[[say reported]]',
  });
  missed = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
  await api.database.system.query('update schedules set next_run_at = $2 where id = $1', [schedule.json.id, missed]);
  scheduleId = schedule.json.id;
  chat.close();
  // It may still have entries of the audit log to store.
  await api.close();
});
afterAll(async () => {
  await model.close();
  await Promise.all([database.drop(), s3.close()]);
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

      const target = { url: withDatabase(database.url, name), drop: async () => undefined };
      const restored = await startOwnInstance({ database: target });
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

/** The rules of a database, which a restore takes away while it copies rows. */
const RULES = `
  select c.conname as name, pg_get_constraintdef(c.oid) as rule from pg_constraint c
    where c.connamespace = 'public'::regnamespace
  union all select t.tgrelid::regclass || ' ' || t.tgname, t.tgenabled::text from pg_trigger t where not t.tgisinternal
  union all select relname, relforcerowsecurity::text from pg_class where relnamespace = 'public'::regnamespace
  order by 1, 2`;
const SEQUENCES = 'select sequencename as name, last_value as value from pg_sequences order by 1';

const UNDER_WAY = 'Another backup is being restored into this database. Nothing was changed.';

describe('everturn backup and restore', () => {
  let folder: string;
  let created: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'everturn-backup-'));
    await backUp('whole');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    const { ownerUrl } = await sharedPostgres();
    await within({ connectionString: ownerUrl }, async (client) => {
      for (const name of created) await client.query(`drop database if exists ${name} with (force)`);
    });
    created = [];
  });

  async function backUp(
    name: string,
    prepare: (source: BackupSource) => BackupSource = (source) => source,
  ): Promise<void> {
    const connected = await connectDatabase({ url: database.url, poolSize: 2 });
    try {
      const files = await FileStores.open(connected, parseFilesLocation(s3.filesUrl));
      const source = prepare({ database: connected, files, keys: [TEST_SECRET_KEY] });
      await writeBackup(source, join(folder, name), () => undefined);
    } finally {
      await connected.close();
    }
  }

  async function emptyDatabase(): Promise<{ name: string; ownerUrl: string }> {
    const { ownerUrl } = await sharedPostgres();
    const name = `restored_${randomUUID().replaceAll('-', '')}`;
    await within({ connectionString: ownerUrl }, async (client) => client.query(`create database ${name}`));
    created.push(name);
    return { name, ownerUrl: withDatabase(ownerUrl, name) };
  }

  const elsewhere = () => parseFilesLocation(s3.filesUrl.replace('/everturn', '/restored'));
  const restore = async (from: string, databaseUrl: string, key = TEST_SECRET_KEY) =>
    restoreBackup({ databaseUrl, keys: [key], filesAt: elsewhere() }, from, () => undefined);
  const relationsOf = async (url: string) =>
    within({ connectionString: url }, async (client) => {
      const { rows } = await client.query("select 1 from pg_class where relnamespace = 'public'::regnamespace");
      return rows.length;
    });

  test('bring every row, rule, sequence and file to an empty database, where open work goes on once with a new Temporal store', async () => {
    const { name, ownerUrl } = await emptyDatabase();
    // What a host has put there is no content.
    await within({ connectionString: ownerUrl }, async (client) =>
      client.query('create extension citext; create schema extensions; create extension hstore schema extensions'),
    );
    await restore(join(folder, 'whole'), ownerUrl);

    const { adminUrl } = await sharedPostgres();
    const read = async (of: string) =>
      within({ connectionString: withDatabase(adminUrl, of) }, async (client) => ({
        // That of a test fixture, which turns events live in, is not part of a backup.
        rows: { ...(await rowsOf(client)), turn_events: 0 },
        rules: (await client.query(RULES)).rows,
        sequences: (await client.query(SEQUENCES)).rows,
      }));
    const original = new URL(database.url).pathname.slice(1);
    expect(await read(name)).toEqual(await read(original));

    const target = { url: withDatabase(database.url, name), drop: async () => undefined };
    const restored = await startOwnInstance({ database: target });
    try {
      const files = await FileStores.open(restored.api.database, elsewhere());
      const bytes = files.of({ store: 's3' }).read({ orgId: chat.user.orgId, fileId }, { start: 0, end: 13 });
      expect((await buffer(bytes)).toString()).toBe('kept elsewhere');

      const client = new ApiClient(restored.api.url, chat.user.accessToken);
      const runs = await waitUntil('the run of the schedule', async () => {
        await recoverDueWork(restored);
        const { json } = await client.get<{ status: string; output: string; slot: string }[]>(
          `/api/schedules/${scheduleId}/runs`,
        );
        return json[0]?.status === 'completed' ? json : undefined;
      });
      expect(runs.map(({ output, slot }) => [output, slot])).toEqual([['reported', missed.toISOString()]]);
      const { json: messages } = await client.get<{ content: string }[]>(`/api/chats/${chat.id}/messages`);
      expect(messages.map(({ content }) => content)).toEqual(['before the backup', 'You said: before the backup']);

      const installation = {
        connect: async () => restored.api.database,
        keys: [TEST_SECRET_KEY] as [string],
        temporal: { address: restored.temporalAddress },
        namespace: 'default',
        apiUrl: restored.api.url,
        folder,
        workspaces: 'local' as const,
      };
      const findings = await runChecks(checksOf(installation));
      expect(findings.filter(({ status }) => status === 'failed')).toEqual([]);
      const shared = await runChecks(checksOf({ ...installation, workspaces: 'shared' }));
      const details = new Set(findings.map(({ detail }) => detail));
      expect(shared.map(({ detail }) => detail).filter((detail) => !details.has(detail))).toContainEqual(
        expect.stringContaining('their folder is in no backup'),
      );
      const rotated = { ...installation, keys: ['another key', TEST_SECRET_KEY] as [string, string] };
      const left = (await runChecks(checksOf(rotated))).filter(({ status }) => status === 'warning');
      expect(left.map(({ check, detail }) => [check, detail])).toContainEqual([
        'SECRET_KEY',
        expect.stringMatching(/^it decrypts all (\d+) stored secrets, \1 of them with another key than the first$/),
      ]);
      const broken = {
        ...installation,
        keys: ['another key'] as [string],
        apiUrl: 'http://127.0.0.1:1',
        // Of machines that keep no data.
        folder: join(folder, 'none'),
      };
      const failed = (await runChecks(checksOf(broken))).filter(({ status }) => status === 'failed');
      expect(failed.map(({ check }) => check)).toEqual(['SECRET_KEY', 'API']);
      expect(failed.every(({ advice }) => advice !== undefined)).toBe(true);
    } finally {
      await restored.close();
    }
  });

  longTest('refuse in a sentence what cannot be restored, and change nothing', async () => {
    const whole = join(folder, 'whole');
    const { ownerUrl } = await emptyDatabase();
    const copy = async (name: string, change: (path: string) => Promise<unknown>) => {
      const path = join(folder, name);
      await cp(whole, path, { recursive: true });
      await change(path);
      return path;
    };
    const manifest = async (path: string, fields: object) => {
      const file = join(path, 'manifest.json');
      await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...fields }));
    };
    const half = await copy('half', async (path) => rm(join(path, 'manifest.json')));
    const damaged = await copy('damaged', async (path) => appendFile(join(path, 'tables/users.copy.gz'), 'x'));
    const newer = await copy('newer', async (path) => manifest(path, { version: '99.0.0' }));
    const other = await copy('other', async (path) => manifest(path, { migrations: ['baseline-another'] }));
    await expect(restore(half, ownerUrl)).rejects.toThrow('There is no complete backup at');
    await expect(restore(damaged, ownerUrl)).rejects.toThrow('tables/users.copy.gz is missing or was changed');
    await expect(restore(newer, ownerUrl)).rejects.toThrow('The backup is of version 99.0.0');
    await expect(restore(other, ownerUrl)).rejects.toThrow('an unreleased state of version');
    await expect(restore(whole, ownerUrl, 'another key')).rejects.toThrow('SECRET_KEY lacks a key');
    expect(await relationsOf(ownerUrl)).toBe(0);

    const original = withDatabase((await sharedPostgres()).ownerUrl, new URL(database.url).pathname.slice(1));
    const before = await relationsOf(original);
    await expect(restore(whole, original)).rejects.toThrow('is not empty');
    expect(await relationsOf(original)).toBe(before);
    await expect(backUp('whole')).rejects.toThrow('already exists');
  });

  test.each([
    ['a type', "create type mood as enum ('calm')"],
    ['a function', "create function one() returns int language sql as 'select 1'"],
    ['a table of another schema', 'create schema reports; create table reports.weeks (week int)'],
  ])('are refused for a database that has nothing but %s', async (_, statement) => {
    const { ownerUrl } = await emptyDatabase();
    await within({ connectionString: ownerUrl }, async (client) => client.query(statement));
    await expect(restore(join(folder, 'whole'), ownerUrl)).rejects.toThrow('is not empty');
    expect(await relationsOf(ownerUrl)).toBe(0);
  });

  test('are refused for a role that may create no tables', async () => {
    const { name } = await emptyDatabase();
    const url = withDatabase(database.url, name);
    await expect(restore(join(folder, 'whole'), url)).rejects.toThrow(/^The role \w+ may create no tables in/);
  });

  test('are done by one at a time for the same database or folder', async () => {
    const { ownerUrl } = await emptyDatabase();
    const twice = await Promise.allSettled([1, 2].map(async () => restore(join(folder, 'whole'), ownerUrl)));
    expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(twice).toContainEqual({ status: 'rejected', reason: new Refusal(UNDER_WAY) });

    const both = await Promise.allSettled([1, 2].map(async () => backUp('twice')));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await restore(join(folder, 'twice'), (await emptyDatabase()).ownerUrl);
  });

  test('say in a sentence what PostgreSQL and the disk refuse', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const unknown = withDatabase(database.url, 'unknown');
    const unlike = Object.assign(new URL(database.url), { password: 'wrong' }).href;
    const { name } = await emptyDatabase();
    for (const [url, target, sentence] of [
      [unknown, 'refused', 'PostgreSQL at DATABASE_URL has refused: database "unknown" does not exist.'],
      [unlike, 'refused', /^PostgreSQL at DATABASE_URL has refused: password authentication failed for user "\w+"\.$/],
      [withDatabase(database.url, name), 'refused', /^The migrations of the database are not those of this version/],
      [database.url, 'a-file/backup', /^ENOTDIR: not a directory, mkdir '.*'\.$/],
    ] as const) {
      const env = { ...process.env, DATABASE_URL: url, SECRET_KEY: TEST_SECRET_KEY };
      const failed = run(process.execPath, ['operator/backup.ts', join(folder, target)], { env });
      await expect(failed).rejects.toMatchObject({ code: 1 });
      const { stderr } = (await failed.catch((error: unknown) => error)) as { stderr: string };
      expect(stderr.trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
    }
  });

  test('need each key of their rows, which may be encrypted with another one before the backup is complete', async () => {
    const later = 'the key that follows the one of the tests';
    const encryptWith = async (connected: Database, keys: [string, string]) =>
      encryptAnew(connected, new SecretBox(keys));
    await backUp('rotated', ({ database: connected, files }) => {
      const store = files.of({ store: 's3' });
      const read = store.read.bind(store);
      // After the rows, which are a snapshot, and before the end.
      store.read = async function* (...args) {
        expect((await encryptWith(connected, [later, TEST_SECRET_KEY])).length).toBeGreaterThan(0);
        yield* read(...args);
      };
      return { database: connected, files, keys: [later, TEST_SECRET_KEY] };
    });
    const connected = await connectDatabase({ url: database.url, poolSize: 1 });
    await encryptWith(connected, [TEST_SECRET_KEY, later]);
    await connected.close();

    const { ownerUrl } = await emptyDatabase();
    const rotated = join(folder, 'rotated');
    for (const [key, lacking] of [
      [later, TEST_SECRET_KEY],
      [TEST_SECRET_KEY, later],
    ] as const)
      await expect(restore(rotated, ownerUrl, key)).rejects.toThrow(`a key of this backup (${keyIdOf(lacking)})`);
    expect(await relationsOf(ownerUrl)).toBe(0);
  });

  longTest('leave an empty database when the rows cannot be stored, which come after the files', async () => {
    const { ownerUrl } = await emptyDatabase();
    const said: string[] = [];
    const path = join(folder, 'unfit');
    await cp(join(folder, 'whole'), path, { recursive: true });
    const file = join(path, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8')) as { tables: { name: string }[] };
    const tables = manifest.tables.filter(({ name }) => name !== 'orgs');
    await writeFile(file, JSON.stringify({ ...manifest, tables }));
    const target = { databaseUrl: ownerUrl, keys: [TEST_SECRET_KEY] as [string], filesAt: elsewhere() };
    await expect(restoreBackup(target, path, (line) => said.push(line))).rejects.toThrow(
      /^The restore failed, and the database is empty again: .*foreign key/,
    );
    expect(said.slice(0, 3)).toEqual(['Reading the backup ...', '1/1 files', expect.stringContaining(' tables: ')]);
    expect(await relationsOf(ownerUrl)).toBe(0);
  });
});
