import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../db/core/database.ts';
import { purgeAbandonedUploads } from '../db/files/uploads.ts';
import { connectDatabase } from '../db/orm/connect.ts';
import { parseFilesLocation } from '../domain/files.ts';
import { FileStores } from '../files/file-stores.ts';
import { ChatFixture } from '../test/support/chat-fixture.ts';
import { createChat, registerUser, type TestUser, uploadFile } from '../test/support/factories.ts';
import { type S3Server, startS3Server } from '../test/support/s3-server.ts';
import { startTestApi, type TestApi } from '../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/test-database.ts';
import { housekeepingJobs, type JobDeps, MAX_FILES, removeStoredFiles, runJobs } from './housekeeping.ts';

describe('housekeeping', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let deps: JobDeps;
  const purged: string[] = [];
  const failing = new Set<string>();
  async function* noSchedules(): AsyncGenerator<never> {}

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await connectDatabase({ url: testDatabase.url, poolSize: 4 });
    deps = {
      database,
      files: await FileStores.open(database, undefined),
      workspaceRoot: '/no-such-workspaces',
      deletedChatDays: 30,
      projectLogDays: 365,
      installationId: '',
      temporalSchedules: { list: noSchedules, find: async () => undefined, remove: async () => undefined },
      resetFailing: async () => undefined,
      startOrgPurge: async (orgId) => {
        purged.push(orgId);
        if (failing.has(orgId)) throw new Error('the engine is busy');
      },
    };
  });

  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  test('the purge of an organization is started, and the later jobs run, although that of another fails', async () => {
    const orgIds = [(await ChatFixture.create(database)).ref.orgId, (await ChatFixture.create(database)).ref.orgId];
    for (const [index, orgId] of orgIds.entries()) {
      await database.system.query("update orgs set deleted_at = now() - $2 * interval '1 minute' where id = $1", [
        orgId,
        10 - index,
      ]);
    }
    failing.add(orgIds[0] ?? '');
    const logged: unknown[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) });
    const jobs = housekeepingJobs(deps);
    const names = Object.keys(jobs.minute);
    expect(names.indexOf('purge deleted organizations')).toBeLessThan(names.length - 1);
    await runJobs(jobs.minute, log, new AbortController().signal);
    expect(purged).toEqual(orgIds);
    expect(logged).toMatchObject([{ job: 'purge deleted organizations', err: { message: 'the engine is busy' } }]);
  });

  test('rows are removed batch after batch', async () => {
    await database.system.query(
      `insert into known_addresses (user_id, digest, last_used_at)
      select (select id from users limit 1), convert_to(place::text, 'UTF8'), now() - interval '10 years'
      from generate_series(1, 2_500) place`,
    );
    await housekeepingJobs(deps).hour['remove expired credentials']?.();
    const { rows } = await database.system.query('select count(*)::int as left from known_addresses');
    expect(rows).toEqual([{ left: 0 }]);
  });
});

describe('remove stored files', () => {
  let s3: S3Server;
  let testDatabase: TestDatabase;
  let api: TestApi;
  let user: TestUser;

  beforeAll(async () => {
    [s3, testDatabase] = await Promise.all([startS3Server(), createTestDatabase()]);
    api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1', filesUrl: s3.filesUrl });
    user = await registerUser(api.url);
  });

  afterAll(async () => {
    await api.close();
    await Promise.all([testDatabase.drop(), s3.close()]);
  });

  const stores = async () => FileStores.open(api.database, parseFilesLocation(s3.filesUrl));

  async function rowsOf(table: 'chat_files' | 'removed_files' | 'chat_file_chunks'): Promise<number> {
    const { rows } = await api.database.system.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    return rows[0]?.count ?? -1;
  }

  async function readAll(fileId: string): Promise<string> {
    const bytes = (await stores()).of({ store: 's3' }).read({ orgId: user.orgId, fileId }, { start: 0, end: 4 });
    let text = '';
    for await (const chunk of bytes) text += chunk.toString();
    return text;
  }

  describe('files in a storage that speaks S3', () => {
    test('are downloaded from there, and removed there when they are deleted', async () => {
      const chatId = await createChat(user.client);
      const fileId = await uploadFile(user.client, chatId, { content: 'Hello' });
      expect(await rowsOf('chat_file_chunks')).toBe(0);
      expect(await readAll(fileId)).toBe('Hello');
      const { bytes } = await user.client.download(`/api/chats/${chatId}/files/${fileId}/content`, {
        range: 'bytes=1-3',
      });
      expect(bytes.toString()).toBe('ell');
      await user.client.delete(`/api/chats/${chatId}/files/${fileId}`);
      await removeStoredFiles(api.database, await stores());
      expect([await rowsOf('chat_files'), await rowsOf('removed_files')]).toEqual([0, 0]);
      await expect(readAll(fileId)).rejects.toThrow('the file has been removed');
    });

    test('are removed when their organization is', async () => {
      const other = await registerUser(api.url);
      await uploadFile(other.client, await createChat(other.client), { content: 'Hello' });
      await api.database.system.query('delete from chats where org_id = $1', [other.orgId]);
      expect(await rowsOf('removed_files')).toBe(1);
      await removeStoredFiles(api.database, await stores());
      expect(await rowsOf('removed_files')).toBe(0);
    });

    test('wait while no process knows the storage', async () => {
      const chatId = await createChat(user.client);
      const fileId = await uploadFile(user.client, chatId, { content: 'Hello' });
      await user.client.delete(`/api/chats/${chatId}/files/${fileId}`);
      const files = await FileStores.open(api.database, undefined);
      await removeStoredFiles(api.database, files);
      expect(await rowsOf('removed_files')).toBe(1);
      await removeStoredFiles(api.database, await stores());
      expect(await rowsOf('removed_files')).toBe(0);
    });
  });

  test('a file is removed although as many as one run takes on fail before it', async () => {
    await api.database.system.query(
      `insert into removed_files (file_id, org_id, store, next_try_at)
      select gen_random_uuid(), $1, 's3', now() - place * interval '1 second' from generate_series(0, $2) place`,
      [user.orgId, MAX_FILES],
    );
    const { rows } = await api.database.system.query<{ id: string }>(
      'select file_id as id from removed_files order by next_try_at desc limit 1',
    );
    const last = rows[0]?.id ?? '';
    const asked: string[] = [];
    const remove = async ({ fileId }: { fileId: string }) => {
      asked.push(fileId);
      if (fileId !== last) throw new Error('the storage refuses');
    };
    const files = { names: ['s3'], of: () => ({ remove }) } as unknown as FileStores;
    await expect(removeStoredFiles(api.database, files)).rejects.toThrow('the storage refuses');
    expect(asked).not.toContain(last);
    await removeStoredFiles(api.database, files);
    expect(asked).toHaveLength(MAX_FILES + 1);
    expect(await rowsOf('removed_files')).toBe(MAX_FILES);
    await api.database.system.query('delete from removed_files');
  });

  test('what is there of an upload whose process is gone is removed, and one in progress is not', async () => {
    const chatId = await createChat(user.client);
    const begun = async (age: string) =>
      api.database.system.query(
        `insert into chat_files (id, org_id, chat_id, name, path_name, media_type, store, created_at)
        values (gen_random_uuid(), $1, $2, $3::text, $3::text, 'text/plain', 'postgres', now() - $3::text::interval)`,
        [user.orgId, chatId, age],
      );
    await begun('2 hours');
    await begun('10 minutes');
    await purgeAbandonedUploads(api.database);
    const { rows } = await api.database.system.query('select name from chat_files where not is_stored');
    expect(rows).toEqual([{ name: '10 minutes' }]);
  });
});
