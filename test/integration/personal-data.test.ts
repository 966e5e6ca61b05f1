import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { purgeDeletedChats } from '../../db/chats/delete-chat.ts';
import { purgeOrg } from '../../db/membership-changes/delete-org.ts';
import { forgetPurgedOrg } from '../../db/orgs/orgs.ts';
import { FileStores } from '../../files/file-stores.ts';
import { deleteSubject, waitForPurge } from '../../operator/personal-data/delete-subject.ts';
import { countRows, CREDENTIALS, DERIVED, rowsAbout } from '../../operator/personal-data/select-rows.ts';
import { findSubject } from '../../operator/personal-data/subject.ts';
import { type ExportReport, writeExport } from '../../operator/personal-data/write-export.ts';
import {
  createAgent,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
  uploadFile,
} from '../support/factories.ts';
import { withClient } from '../support/database-owner.ts';
import { longTest } from '../support/in-length.ts';
import { join as joinOrg } from '../support/invitations.ts';
import { serveTestApi } from '../support/serve-test-api.ts';
import { SseClient } from '../support/sse-client.ts';
import { storeWorkspaceFile } from '../support/stored-workspace.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { waitUntil } from '../support/wait-until.ts';

const served = serveTestApi({ isOwn: true });
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'everturn-export-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Tables of the installation, in which nothing is about an organization or a person. */
const OF_NOBODY = [
  'installation',
  'marketplace_indexes',
  'marketplace_items',
  'purged_orgs',
  'rate_limits',
  'schema_migrations',
  'search_progress',
  'usage_count',
  'workers',
];

/** Of a user: the host's chat with a message and files, a secret, and a chat of another member. */
interface Scene {
  readonly host: TestUser;
  readonly member: TestUser;
  readonly chatId: string;
}

async function say(user: TestUser, chatId: string, content: string): Promise<void> {
  const url = `${served.url}/api/chats/${chatId}/stream`;
  (await SseClient.open({ url, token: user.accessToken, body: { content } })).close();
}

async function setUp(): Promise<Scene> {
  const host = await registerUser(served.url);
  const member = await joinOrg(host);
  await createProvider(host.client, 'https://models.example.com', { credentials: { api_key: 'sk-kept-secret' } });
  const agentId = await createAgent(host.client);
  const chatId = await createChat(host.client, agentId);
  await say(host, chatId, 'a message of the host, in "quotes"\nand lines');
  await uploadFile(host.client, chatId, { name: 'notes.txt', content: 'the notes of the host' });
  const ref = { orgId: host.orgId, chatId };
  await storeWorkspaceFile(served.api.database, ref, { path: 'reports/week 48.csv', content: 'a,b\n1,2\n' });
  await say(member, await createChat(member.client, agentId), 'a message of the member');
  return { host, member, chatId };
}

async function run(program: 'export-data' | 'delete-data', ...args: readonly string[]) {
  const child = promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', `operator/${program}.ts`, ...args],
    { env: { DATABASE_URL: served.api.database.url, SECRET_KEY: TEST_SECRET_KEY } },
  );
  return child.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

/** The number of archives so far. */
let archives = 0;

async function exportOf(...args: readonly string[]) {
  const path = join(folder, `${(archives += 1)}.zip`);
  expect(await run('export-data', ...args, path)).toMatchObject({ code: 0 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const entries = Object.entries(unzipSync(new Uint8Array(readFileSync(path))));
  const files = new Map(entries.map(([name, bytes]) => [name, strFromU8(bytes)]));
  const rows = (table: string) =>
    (files.get(`rows/${table}.jsonl`) ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const report = JSON.parse(files.get('report.json') ?? '') as ExportReport;
  return { files, rows, report, text: [...files.values()].join('\n') };
}

describe('export-data', () => {
  test('writes all rows and files of an organization, none of another one, and no secrets', async () => {
    const { host, member, chatId } = await setUp();
    const stranger = await setUp();
    const { files, rows, report, text } = await exportOf('--org', host.orgId);

    expect(new Set(rows('messages').map(({ content }) => content))).toEqual(
      new Set(['a message of the host, in "quotes"\nand lines', 'a message of the member']),
    );
    expect(new Set(rows('users').map(({ id }) => id))).toEqual(new Set([host.id, member.id]));
    const uploaded = [...files.keys()].find((path) => path.startsWith('files/'));
    expect(uploaded).toMatch(/\/notes\.txt$/);
    expect(files.get(uploaded ?? '')).toBe('the notes of the host');
    expect(files.get(`workspaces/${chatId}/reports/week 48.csv`)).toBe('a,b\n1,2\n');
    for (const id of [stranger.host.orgId, stranger.host.id, stranger.chatId]) expect(text).not.toContain(id);

    expect(rows('provider_accounts')).toHaveLength(1);
    expect(rows('provider_accounts')[0]).not.toHaveProperty('credentials');
    expect(report.left_out).toEqual(expect.arrayContaining(['provider_accounts.credentials', 'message_words']));
    expect(report).toMatchObject({ kind: 'org', id: host.orgId, files: 2, files_gone: 0 });
    for (const [table, count] of Object.entries(report.rows))
      expect([table, rows(table).length]).toEqual([table, count]);
  });

  longTest('writes what is a user’s in all organizations, and nothing of others', async () => {
    const { host, member, chatId } = await setUp();
    const { rows, report, text, files } = await exportOf('--user', host.email.toUpperCase());
    expect(rows('messages').map(({ content }) => content)).toEqual(['a message of the host, in "quotes"\nand lines']);
    expect(rows('chats').map(({ id }) => id)).toEqual([chatId]);
    expect(rows('users').map(({ email }) => email)).toEqual([host.email]);
    expect(rows('sessions')).toHaveLength(1);
    expect(rows('memberships').map(({ user_id }) => user_id)).toEqual([host.id]);
    expect([...files.keys()].filter((path) => /^(files|workspaces)\//.test(path))).toHaveLength(2);
    expect(report).toMatchObject({ kind: 'user', id: host.id, name: host.email });
    expect(report.left_out).toEqual(expect.arrayContaining(['user_passwords', 'sessions.browser_secret_hash']));
    expect(text).not.toContain(member.email);
    expect(text).not.toContain('a message of the member');
    const { json } = await host.client.get<{ action: string; record_id: string }[]>('/api/audit?action=users.export');
    expect(json.map(({ record_id }) => record_id)).toEqual([host.id]);
  });

  longTest('refuses in a sentence what it cannot write, and leaves nothing of an export that has failed', async () => {
    const { host } = await setUp();
    const { database } = served.api;
    await database.system.query("update chat_files set store = 's3' where org_id = $1 and name = 'notes.txt'", [
      host.orgId,
    ]);
    const before = readdirSync(folder);
    const subject = { kind: 'org', id: host.orgId, name: 'Lab', isDeleted: false } as const;
    const source = { database, files: await FileStores.open(database, undefined) };
    const to = join(folder, 'failed.zip');
    await expect(writeExport(source, subject, { to, say: () => undefined })).rejects.toThrow('files are kept in "s3"');
    const nowhere = join(folder, 'no-folder/a.zip');
    await expect(writeExport(source, subject, { to: nowhere, say: () => undefined })).rejects.toThrow('ENOENT');
    const [existing = ''] = before;
    await expect(writeExport(source, subject, { to: join(folder, existing), say: () => undefined })).rejects.toThrow(
      'already exists',
    );
    expect(readdirSync(folder)).toEqual(before);

    expect(await run('export-data', '--org', UNKNOWN_ID, to)).toMatchObject({
      code: 1,
      stderr: `There is no organization ${UNKNOWN_ID}.\n`,
    });
    expect(await run('export-data', '--user', 'nobody@example.com', to)).toMatchObject({
      code: 1,
      stderr: 'There is no user nobody@example.com.\n',
    });
    for (const args of [
      ['--org', host.orgId],
      ['--org', host.orgId, '--user', host.id, to],
    ])
      expect(await run('export-data', ...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Usage: /) });
  });

  test('knows of each table whose its rows are', async () => {
    const { system } = served.api.database;
    const client = await system.connect();
    const [ofOrg, ofUser] = [
      await rowsAbout(client, { kind: 'org', id: UNKNOWN_ID }),
      await rowsAbout(client, { kind: 'user', id: UNKNOWN_ID }),
    ];
    client.release();
    const { rows } = await system.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const names = rows.map(({ name }) => name);
    const known = new Set([...ofOrg, ...ofUser].map(({ table }) => table));
    expect(names.filter((name) => !known.has(name))).toEqual(OF_NOBODY);
    expect([...DERIVED, ...CREDENTIALS].filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('delete-data', () => {
  test('says what there is and changes nothing without --yes', async () => {
    const { host } = await setUp();
    const { code, stdout } = await run('delete-data', '--org', host.orgId);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/not deleted\. .*  messages: 2\n.*Nothing was changed/s)]);
    expect((await host.client.get('/api/users/me')).status).toBe(200);
  });

  test('deletes an organization, and goes on until a worker has left nothing of it', async () => {
    const { host, member } = await setUp();
    const first = await run('delete-data', '--org', host.orgId, '--yes');
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('no worker is running') });
    expect((await host.client.get(`/api/orgs/${host.orgId}`)).status).toBe(404);
    expect((await member.client.get(`/api/orgs/${host.orgId}`)).status).toBe(404);

    const { database } = served.api;
    await database.system.query("insert into workers (id, seen_at, lacks) values (gen_random_uuid(), now(), '{}')");
    const subject = await findSubject(database, { org: host.orgId });
    const { orgIds } = await deleteSubject(database, subject, { withChats: false });
    expect([subject.isDeleted, orgIds]).toEqual([true, [host.orgId]]);
    expect(await waitForPurge(database, orgIds, { signal: AbortSignal.abort() })).toContain('is still removing');
    const purged = waitForPurge(database, orgIds, { pollMs: 10, signal: new AbortController().signal });
    await purgeOrg(database, host.orgId, () => undefined);
    await forgetPurgedOrg(database, host.orgId);
    expect([await purged, await countRows(database, subject)]).toEqual([undefined, {}]);
    await database.system.query('delete from workers');
  });

  test('deletes a user with their private chats, and says what organizations of others keep', async () => {
    const { host, member } = await setUp();
    const owner = await run('delete-data', '--user', host.id, '--yes');
    expect(owner).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^You own organizations with other members/),
    });
    const own = member.client;
    await own.send('DELETE', `/api/orgs/${(await ownOrgs(member)).find((id) => id !== host.orgId)}`);

    const deleted = await run('delete-data', '--user', member.email, '--with-chats', '--yes');
    expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining('A worker removes 1 private chats') });
    expect((await own.get('/api/users/me')).status).toBe(401);
    const { json } = await host.client.get<unknown[]>('/api/audit?action=users.delete');
    expect(json).toHaveLength(1);

    const { database } = served.api;
    await database.system.query("update turns set status = 'completed', ended_at = now() where user_id = $1", [
      member.id,
    ]);
    await waitUntil('the chats to be removed', async () => {
      const { chats } = await purgeDeletedChats(database, { days: 3650 });
      return chats.some(({ orgId }) => orgId === host.orgId) || undefined;
    });
    const left = await run('delete-data', '--user', member.id);
    expect(left.stdout).toMatch(/^User .*@removed\.invalid .*, deleted\./);
    expect(left.stdout).not.toContain('  messages: ');
    expect(left.stdout).toContain('  users: 1\n');
  });

  longTest('deletes a user together with its entry in the audit log, or not at all', async () => {
    const { host, member } = await setUp();
    await member.client.send('DELETE', `/api/orgs/${(await ownOrgs(member)).find((id) => id !== host.orgId)}`);
    const { database } = served.api;
    const isDeleted = async () => (await findSubject(database, { user: member.id })).isDeleted;
    await withClient(database.url, async (owner) => {
      await owner.query('begin; lock table audit_log in share mode');
      const program = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', 'operator/delete-data.ts', '--user', member.id, '--yes'],
        { env: { DATABASE_URL: database.url }, stdio: 'ignore' },
      );
      const pid = await waitUntil('the entry to wait', async () => {
        const { rows } = await database.system.query<{ pid: number }>(
          `select pid from pg_locks waiting where relation = 'audit_log'::regclass and not granted and exists (
            select from pg_locks held where held.pid = waiting.pid and held.granted
              and held.relation = 'users'::regclass and held.mode = 'RowExclusiveLock')`,
        );
        return rows[0]?.pid;
      });
      program.kill('SIGKILL');
      await once(program, 'exit');
      await owner.query('commit');
      await waitUntil('the transaction of the killed program to end', async () => {
        const { rows } = await database.system.query('select from pg_stat_activity where pid = $1', [pid]);
        return rows.length === 0 || undefined;
      });
    });
    expect(await isDeleted()).toBe(false);
    expect(await run('delete-data', '--user', member.id, '--yes')).toMatchObject({ code: 0 });
    expect(await isDeleted()).toBe(true);
    const { json } = await host.client.get<unknown[]>('/api/audit?action=users.delete');
    expect(json).toHaveLength(1);
  });

  longTest('waits for what was deleted with a user when it is run again', async () => {
    const { host, member } = await setUp();
    await host.client.send('DELETE', `/api/orgs/${host.orgId}`);
    const [ownOrg] = await ownOrgs(member);
    const first = await run('delete-data', '--user', member.email, '--yes');
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining(`again with --user ${member.id} to wait`) });
    const { database } = served.api;
    const again = async () => {
      const subject = await findSubject(database, { user: member.id });
      return (await deleteSubject(database, subject, { withChats: false })).orgIds;
    };
    expect(await again()).toEqual([ownOrg]);
    await purgeOrg(database, ownOrg ?? '', () => undefined);
    // Files may be left.
    expect(await again()).toEqual([ownOrg]);
    await forgetPurgedOrg(database, ownOrg ?? '');
    expect(await again()).toEqual([]);
  });

  async function ownOrgs({ client }: TestUser): Promise<string[]> {
    return (await client.get<{ id: string }[]>('/api/orgs')).json.map(({ id }) => id);
  }
});
