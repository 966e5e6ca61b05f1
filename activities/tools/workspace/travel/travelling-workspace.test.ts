import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { noteWorkspace } from '../../../../db/chats/usage.ts';
import type { Database } from '../../../../db/core/database.ts';
import { connectDatabase } from '../../../../db/orm/connect.ts';
import {
  findWorkspaceVersion,
  purgeUnusedContents,
  takeLease,
  type WorkspaceRef,
} from '../../../../db/workspaces/contents.ts';
import { storeSnapshot } from '../../../../db/workspaces/snapshot.ts';
import { parseFilesLocation } from '../../../../domain/files.ts';
import { FileStores } from '../../../../files/file-stores.ts';
import { ChatFixture } from '../../../../test/support/chat-fixture.ts';
import { longTest } from '../../../../test/support/in-length.ts';
import { type S3Server, startS3Server } from '../../../../test/support/s3-server.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { openWorkspace } from '../open-workspace.ts';
import type { LentFolder, Workspace } from '../workspace.ts';
import { filePath, ROOT } from '../workspace-path.ts';
import { LocalCopies } from './local-copies.ts';
import { travellingWorkspace } from './travelling-workspace.ts';

const never = new AbortController().signal;
const CREATE = { overwrite: true, createFolders: true, isForeign: false };
const EVERYTHING = { maxDepth: 32, limit: 1_000 };

let testDatabase: TestDatabase;
let database: Database;
let storage: S3Server;
let folders: string;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 6 });
  storage = await startS3Server();
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await storage.close();
});

let files: FileStores;
let ref: WorkspaceRef;
let one: LocalCopies;
let other: LocalCopies;
beforeEach(async () => {
  folders = mkdtempSync(join(tmpdir(), 'everturn-travel-'));
  files = await FileStores.open(database, undefined);
  ({ ref } = await ChatFixture.create(database));
  [one, other] = [worker('one'), worker('other')];
});
afterEach(() => rmSync(folders, { recursive: true }));

/** The copies of a worker with a disk of its own. */
function worker(name: string, stores = files): LocalCopies {
  return new LocalCopies({ root: join(folders, name), database, files: stores });
}

/** The workspace as a new call on this worker has it. */
function on(copies: LocalCopies, signal = never): Workspace {
  return travellingWorkspace(copies, { ref, signal });
}

async function put(copies: LocalCopies, path: string, content: string | Buffer, isForeign = false) {
  return on(copies).write(filePath(path), Buffer.from(content), { ...CREATE, isForeign });
}

async function get(copies: LocalCopies, path: string): Promise<string> {
  return (await on(copies).read(filePath(path), 100 * 1024 ** 2)).toString();
}

async function listed(copies: LocalCopies): Promise<string[]> {
  return (await on(copies).list(ROOT, EVERYTHING, never)).entries.map(({ path }) => path);
}

async function run<T>(copies: LocalCopies, work: (home: string) => T, access: 'read' | 'write' = 'write'): Promise<T> {
  return on(copies).lend({ isForeign: false, access }, async ({ path }: LentFolder) => work(path));
}

const rows = async (text: string) => (await database.system.query(text, [ref.chatId])).rows as object[];
const version = async () => findWorkspaceVersion(database, ref);

describe('a workspace', () => {
  test('is on another worker what it is on the first, after each kind of change', async () => {
    await put(one, 'a/b/one.txt', 'one');
    await put(one, 'empty.txt', '');
    expect([await get(other, 'a/b/one.txt'), await get(other, 'empty.txt')]).toEqual(['one', '']);
    await put(other, 'a/b/one.txt', 'two');
    await on(other).move(['a', 'b'], ['c', 'd'], { key: 'k', isCopy: false, overwrite: false }, never);
    expect(await listed(one)).toEqual(['a', 'c', 'c/d', 'c/d/one.txt', 'empty.txt']);
    expect(await get(one, 'c/d/one.txt')).toBe('two');
    await on(one).remove(['c'], { recursive: true }, never);
    await on(one).edit(['empty.txt'], { key: 'e', maxBytes: 10, isForeign: false }, async () => Buffer.from('full'));
    expect([await listed(other), await get(other, 'empty.txt')]).toEqual([['a', 'empty.txt'], 'full']);
  });

  test('preserves what a command leaves: modes, times, links, folders, files that replace folders', async () => {
    await run(one, (home) => {
      mkdirSync(join(home, 'bin/empty'), { recursive: true });
      writeFileSync(join(home, 'bin/tool'), '#!/bin/sh\n');
      chmodSync(join(home, 'bin/tool'), 0o755);
      utimesSync(join(home, 'bin/tool'), 1_000_000_000, 1_000_000_000);
      linkSync(join(home, 'bin/tool'), join(home, 'second-name'));
      symlinkSync('../../outside', join(home, 'bin/link'));
      chmodSync(join(home, 'bin/empty'), 0o500);
    });
    const there = await run(other, (home) => {
      const [tool, folder] = [statSync(join(home, 'bin/tool')), statSync(join(home, 'bin/empty'))];
      const link = readlinkSync(join(home, 'bin/link'));
      rmSync(join(home, 'bin'), { recursive: true });
      writeFileSync(join(home, 'bin'), 'a file now');
      rmSync(join(home, 'second-name'));
      mkdirSync(join(home, 'second-name'));
      return [tool.mode & 0o777, tool.mtimeMs, folder.mode & 0o777, link];
    });
    expect(there).toEqual([0o755, 1_000_000_000_000, 0o700, '../../outside']);
    const types = await run(one, (home) => [
      lstatSync(join(home, 'bin')).isFile(),
      lstatSync(join(home, 'second-name')).isDirectory(),
    ]);
    expect([types, await get(one, 'bin')]).toEqual([[true, true], 'a file now']);
  });

  test('notices a file whose size and time are as before', async () => {
    await run(one, (home) => writeFileSync(join(home, 'a'), 'one'));
    await run(one, (home) => {
      const { mtime } = statSync(join(home, 'a'));
      writeFileSync(join(home, 'a'), 'two');
      utimesSync(join(home, 'a'), mtime, mtime);
    });
    expect(await get(other, 'a')).toBe('two');
  });

  test('keeps large files where uploaded files are kept, and contents that it has already are not stored again', async () => {
    const stores = await FileStores.open(database, parseFilesLocation(storage.filesUrl));
    const large = { postgres: randomBytes(700_000), s3: randomBytes(700_000) };
    for (const [kept, at] of [[files, 'postgres'] as const, [stores, 's3'] as const]) {
      const copies = worker(`first-${at}`, kept);
      await put(copies, `${at}/large`, large[at]);
      await on(copies).move([at, 'large'], [at, 'copy'], { key: at, isCopy: true, overwrite: false }, never);
      const found = await rows(
        `select store, bytes::int from workspace_contents where chat_id = $1 and store = '${at}'`,
      );
      expect(found).toEqual([{ store: at, bytes: 700_000 }]);
    }
    const second = worker('second', stores);
    for (const at of ['postgres', 's3'] as const)
      expect((await on(second).read([at, 'copy'], 1_000_000)).equals(large[at])).toBe(true);
  });

  test('stores what has changed, and nothing for a call that reads, or that changes nothing', async () => {
    await run(one, (home) => {
      for (let each = 0; each < 20; each += 1) writeFileSync(join(home, `file-${each}`), `content ${each}`);
    });
    await run(other, (home) => writeFileSync(join(home, 'file-7'), 'changed'));
    const contents = 'select digest from workspace_contents where chat_id = $1';
    expect([await version(), (await rows(contents)).length]).toEqual([2, 21]);
    await run(other, (home) => readFileSync(join(home, 'file-7')), 'read');
    await run(other, () => undefined);
    await put(other, 'file-7', 'changed').catch(() => undefined);
    expect(await listed(other)).toHaveLength(20);
    expect([await version(), (await rows(contents)).length]).toEqual([3, 21]);
  });

  test('takes its marks and the records of its edits along', async () => {
    await put(one, 'a.txt', 'from outside', true);
    expect([await on(other).isForeign(['a.txt']), await on(other).isForeign(['b.txt'])]).toEqual([true, false]);
    const edit = async (copies: LocalCopies) =>
      on(copies).edit(['a.txt'], { key: 'same', maxBytes: 100, isForeign: false }, async (content) =>
        Buffer.concat([content, Buffer.from('!')]),
      );
    expect([await edit(one), await edit(other)]).toEqual([{ wasDone: false }, { wasDone: true }]);
    expect(await get(one, 'a.txt')).toBe('from outside!');
  });

  test('is empty on every worker until something is written, and makes no row and no folder', async () => {
    expect([await listed(one), await version()]).toEqual([[], 0]);
    expect(await rows('select from workspaces where chat_id = $1')).toEqual([]);
    expect(existsSync(join(folders, 'one'))).toBe(false);
  });
});

describe('two workers', () => {
  test('change a workspace one after the other, and lose nothing', async () => {
    const writes = Array.from({ length: 24 }, async (_, each) =>
      put(each % 2 === 0 ? one : other, `file-${each}`, `${each}`),
    );
    await Promise.all(writes);
    for (const copies of [one, other]) {
      expect(await listed(copies)).toHaveLength(24);
      for (let each = 0; each < 24; each += 1) expect(await get(copies, `file-${each}`)).toBe(`${each}`);
    }
  });

  test('do not wait for each other to read while one of them changes something', async () => {
    await put(one, 'a', 'before');
    const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
    const long = on(one).lend({ isForeign: false, access: 'write' }, async ({ path }) => {
      writeFileSync(join(path, 'a'), 'after');
      begin(undefined);
      await gate;
    });
    await begun;
    expect(await get(other, 'a')).toBe('before');
    const givenUp = new AbortController();
    const removal = on(other, givenUp.signal).remove(['a'], { recursive: false }, never);
    // On the worker that changes it, others may change it too.
    await put(one, 'b', 'beside');
    givenUp.abort();
    await expect(removal).rejects.toThrow('abort');
    open(undefined);
    await long;
    expect([await get(other, 'a'), await get(other, 'b')]).toEqual(['after', 'beside']);
  });

  test('wait for one that has died no longer than its lease lasts, and continue from its last snapshot', async () => {
    await put(one, 'a', 'kept');
    const dead = { ...ref, holder: randomUUID() };
    await takeLease(database, dead);
    const write = put(other, 'b', 'after it');
    const { rows: leases } = await database.system.query<{ seconds: number }>(
      'select extract(epoch from lease_until - now())::float8 as seconds from workspaces where chat_id = $1',
      [ref.chatId],
    );
    expect(leases[0]?.seconds).toBeLessThanOrEqual(10);
    await database.system.query('update workspaces set lease_until = now() where chat_id = $1', [ref.chatId]);
    await write;
    const late = { version: 2, changes: { put: [], gone: [], unused: [], added: [] }, isLast: true };
    expect(await storeSnapshot(database, dead, late)).toBeUndefined();
    expect([await get(one, 'a'), await get(one, 'b')]).toEqual(['kept', 'after it']);
  });

  test('cannot store over each other when a lease was lost: the late change did not happen', async () => {
    await put(one, 'a', 'first');
    const late = on(one).lend({ isForeign: false, access: 'write' }, async ({ path }) => {
      writeFileSync(join(path, 'a'), 'late');
      writeFileSync(join(path, 'late'), 'late');
      await database.system.query(
        "update workspaces set lease_until = now() - interval '1 second' where chat_id = $1",
        [ref.chatId],
      );
      await put(other, 'a', 'second');
    });
    await expect(late).rejects.toThrow('could not be kept');
    expect([await get(one, 'a'), await listed(one), await get(other, 'a')]).toEqual(['second', ['a'], 'second']);
    await put(one, 'a', 'third');
    expect(await get(other, 'a')).toBe('third');
  });
});

describe('what cannot be kept', () => {
  test('has not happened: a call whose contents the storage refuses fails, and the next one finds the files as before', async () => {
    const away = await FileStores.open(database, parseFilesLocation('s3://files?endpoint=http://127.0.0.1:1'));
    const copies = worker('away', away);
    await put(copies, 'small', 'before');
    const change = run(copies, (home) => {
      writeFileSync(join(home, 'small'), 'after');
      writeFileSync(join(home, 'large'), randomBytes(100_000));
    });
    await expect(change).rejects.toThrow('storage of files is not reachable');
    for (const each of [copies, one])
      expect([await listed(each), await get(each, 'small')]).toEqual([['small'], 'before']);
  });

  const fill = async (folder: string, count: number) =>
    run(one, (home) => {
      mkdirSync(join(home, folder));
      for (let each = 0; each < count; each += 1) symlinkSync('x'.repeat(4_000), join(home, folder, `${each}`));
    });

  longTest('are more than 8 MB of paths and links at once: that call has not happened', async () => {
    await expect(fill('all', 2_100)).rejects.toThrow('8 MB of paths and targets of links');
    expect(await listed(other)).toEqual([]);
  });

  test('are more than 8 MB of paths and links, little by little: the last call has not happened', async () => {
    await fill('first', 1_200);
    await expect(fill('second', 1_200)).rejects.toThrow('8 MB of paths and targets of links');
    // Its copy was dropped: this is the snapshot.
    expect((await listed(one)).filter((path) => !path.startsWith('first/'))).toEqual(['first']);
    await run(one, (home) => renameSync(join(home, 'first'), join(home, 'moved')));
    expect(await listed(other)).toContain('moved/1199');
  });

  test('of a command that fails is what it left, on every worker', async () => {
    const failing = run(one, (home) => {
      writeFileSync(join(home, 'half'), 'half');
      throw new Error('cut off');
    });
    await expect(failing).rejects.toThrow('cut off');
    expect(await get(other, 'half')).toBe('half');
  });

  test('are pipes, and files closed to the service; the others travel', async () => {
    await run(one, (home) => {
      writeFileSync(join(home, 'a'), 'a');
      mkdirSync(join(home, 'x'.repeat(200)), { recursive: true });
      writeFileSync(join(home, Buffer.from([0x66, 0xff]).toString('latin1')), 'latin');
      symlinkSync('/dev/zero', join(home, 'zero'));
    });
    expect(await listed(other)).toEqual(['a', 'f\u00FF', 'x'.repeat(200), 'zero']);
  });
});

describe('contents', () => {
  test('that no snapshot has are removed after an hour, also in the storage; those in use stay', async () => {
    const stores = await FileStores.open(database, parseFilesLocation(storage.filesUrl));
    const copies = worker('stored', stores);
    await put(copies, 'kept', randomBytes(50_000));
    await put(copies, 'replaced', randomBytes(50_000));
    await put(copies, 'replaced', 'small now');
    await purgeUnusedContents(database);
    expect(await rows('select from workspace_contents where chat_id = $1')).toHaveLength(3);
    await database.system.query(
      "update workspace_contents set unused_since = unused_since - interval '2 hours' where chat_id = $1",
      [ref.chatId],
    );
    await purgeUnusedContents(database);
    expect(await rows('select from workspace_contents where chat_id = $1')).toHaveLength(2);
    const noted = await database.system.query('select store from removed_files where org_id = $1', [ref.orgId]);
    expect(noted.rows).toEqual([{ store: 's3' }]);
    expect((await on(one === copies ? other : worker('again', stores)).read(['kept'], 100_000)).length).toBe(50_000);
  });

  test('are removed in one go, however many there are', async () => {
    await run(one, (home) => {
      for (let each = 0; each < 250; each += 1) writeFileSync(join(home, `${each}`), `content ${each}`);
    });
    await run(one, (home) => {
      for (let each = 0; each < 250; each += 1) rmSync(join(home, `${each}`));
    });
    await rows("update workspace_contents set unused_since = now() - interval '2 hours' where chat_id = $1");
    await purgeUnusedContents(database);
    expect(await rows('select from workspace_contents where chat_id = $1')).toEqual([]);
  });

  test('that were replaced count for the organization while they are kept, beyond 1 GB', async () => {
    const replace = async (bytes: number) =>
      database.system.query(
        "insert into workspace_contents (id, chat_id, org_id, bytes, store) values ($1, $2, $3, $4, 'row')",
        [randomUUID(), ref.chatId, ref.orgId, bytes],
      );
    await put(one, 'a', 'a');
    await replace(900_000_000);
    expect(await noteWorkspace(database, ref, 5)).toBe(5);
    await replace(400_000_000);
    expect(await noteWorkspace(database, ref, 5)).toBe(300_000_005);
  });

  test('go with their chat', async () => {
    await put(one, 'a', randomBytes(300_000));
    await put(one, 'b', 'small');
    await database.system.query('delete from chats where id = $1', [ref.chatId]);
    for (const table of ['workspaces', 'workspace_contents', 'workspace_entries'])
      expect(await rows(`select from ${table} where chat_id = $1`)).toEqual([]);
    const { rows: chunks } = await database.system.query('select from workspace_chunks where org_id = $1', [ref.orgId]);
    expect(chunks).toEqual([]);
  });
});

describe('local copies', () => {
  test('that lie idle are removed, and made again when they are needed', async () => {
    await put(one, 'a', 'x');
    const home = await run(one, (path) => path, 'read');
    await one.tidy();
    expect(existsSync(home)).toBe(true);
    await one.tidy(0);
    expect(existsSync(home)).toBe(false);
    expect(await get(one, 'a')).toBe('x');
  });

  test('of a worker that has ended are removed by another one with the same folder', async () => {
    await put(one, 'a', 'x');
    const [own] = readdirSync(join(folders, 'one', 'copies'));
    const next = worker('one');
    await next.tidy();
    expect(readdirSync(join(folders, 'one', 'copies'))).toContain(own);
    await one.close();
    await next.tidy();
    expect(readdirSync(join(folders, 'one', 'copies'))).not.toContain(own);
  });

  test('take over what an earlier version has kept in a folder of all workers', async () => {
    const former = openWorkspace({ root: join(folders, 'one'), ...ref });
    await former.write(['a', 'b.txt'], Buffer.from('of old'), { ...CREATE, isForeign: true });
    expect([await get(one, 'a/b.txt'), await on(one).isForeign(['a', 'b.txt'])]).toEqual(['of old', true]);
    expect(readdirSync(join(folders, 'one', ref.orgId))).toEqual([]);
    expect(await get(other, 'a/b.txt')).toBe('of old');
  });

  test('do not follow what somebody has replaced a folder by', async () => {
    await put(one, 'a/b', 'inside');
    await run(one, (home) => {
      renameSync(join(home, 'a'), join(home, 'c'));
      symlinkSync('c', join(home, 'a'));
    });
    await on(one).remove(['c', 'b'], { recursive: false }, never);
    expect(await listed(other)).toEqual(['a', 'c']);
  });
});
