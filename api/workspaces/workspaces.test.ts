import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { purgeUnusedContents } from '../../db/workspaces/contents.ts';
import { createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeWorkspaceFile } from '../../test/support/stored-workspace.ts';

interface Entry {
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

const served = serveTestApi();
const shared = serveTestApi({ workspaces: 'shared' });
let user: TestUser;
let chatId: string;
beforeAll(async () => {
  user = await registerUser(served.url);
  chatId = await createChat(user.client);
  for (const path of ['notes.md', 'out/b.csv', 'out/a.csv', 'out/deep/x', 'out2/y']) await put(path);
  await put('empty', '');
});

const put = async (path: string, content: string | Buffer = `content of ${path}`, chat = chatId) =>
  storeWorkspaceFile(served.api.database, { orgId: user.orgId, chatId: chat }, { path, content });
const list = async (query = '', chat = chatId, { client } = user) =>
  client.get<Entry[]>(`/api/chats/${chat}/workspace${query}`);
const pathsOf = async (query = '') => (await list(query)).json.map(({ path }) => path);
const download = async (path: string, headers: Record<string, string> = {}, chat = chatId) =>
  user.client.download(`/api/chats/${chat}/workspace/${path}`, headers);

describe('the workspace of a chat', () => {
  test('is listed by folder and by name, with sizes, a page at a time', async () => {
    expect(await pathsOf()).toEqual(['empty', 'notes.md', 'out', 'out2']);
    expect(await pathsOf('?folder=out')).toEqual(['out/a.csv', 'out/b.csv', 'out/deep']);
    expect(await pathsOf('?folder=out/deep/')).toEqual(['out/deep/x']);
    const { json, headers } = await list('?limit=2&offset=1');
    expect(json).toEqual([
      { path: 'notes.md', type: 'file', size: 19, modified_at: expect.any(String) },
      { path: 'out', type: 'folder', size: 0, modified_at: expect.any(String) },
    ]);
    expect(headers.get('x-total-count')).toBe('4');
  });

  test('is empty before anything was written', async () => {
    const { status, json } = await list('', await createChat(user.client));
    expect([status, json]).toEqual([200, []]);
  });

  test.each([
    '?folder=none',
    '?folder=notes.md',
    '?folder=..',
    '?folder=/',
    '?folder=out//deep',
    '?folder=%00',
    '?folder=%25',
  ])('has no folder that %s names', async (query) => {
    const { status } = await list(query);
    expect([404, 422]).toContain(status);
  });

  test('is that of the chat that a sub-agent works for', async () => {
    const below = randomUUID();
    await served.api.database.system.query(
      `insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id, root_chat_id)
        select $1, org_id, user_id, agent_id, 'Sub', id, id from chats where id = $2`,
      [below, chatId],
    );
    expect((await list('?folder=out2', below)).json).toMatchObject([{ path: 'out2/y' }]);
    expect((await download('notes.md', {}, below)).bytes.toString()).toBe('content of notes.md');
  });

  test('is for those who may read the chat', async () => {
    const stranger = await registerUser(served.url);
    const deleted = await createChat(user.client);
    await put('a', 'x', deleted);
    await user.client.delete(`/api/chats/${deleted}`);
    const answers = [
      await list('', chatId, stranger),
      await list('', deleted),
      await list('', randomUUID()),
      await stranger.client.get(`/api/chats/${chatId}/workspace/notes.md`),
      await user.client.get(`/api/chats/${deleted}/workspace/a`),
    ];
    for (const { status, json } of answers) expect([status, json]).toEqual([404, { detail: 'Chat not found' }]);
  });

  test('is not reached where it lies in a folder of the workers alone', async () => {
    const other = await registerUser(shared.url);
    const chat = await createChat(other.client);
    for (const path of ['', '/a']) {
      const { status, json } = await other.client.get(`/api/chats/${chat}/workspace${path}`);
      expect([status, json]).toEqual([409, { detail: expect.stringContaining('in a folder of the workers') }]);
    }
  });
});

describe('a file of a workspace', () => {
  test('is an attachment that no browser takes for anything else', async () => {
    const { status, headers, bytes } = await download('out/a.csv');
    expect([status, bytes.toString()]).toEqual([200, 'content of out/a.csv']);
    expect(headers.get('content-disposition')).toBe('attachment; filename=a.csv');
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect((await download('out%2Fa.csv')).bytes.toString()).toBe('content of out/a.csv');
    const again = await download('out/a.csv', { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test('is sent in part, and an empty one whole', async () => {
    const part = await download('notes.md', { range: 'bytes=3-6' });
    expect([part.status, part.headers.get('content-range'), part.bytes.toString()]).toEqual([
      206,
      'bytes 3-6/19',
      'tent',
    ]);
    const empty = await download('empty');
    expect([empty.status, empty.headers.get('content-length'), empty.bytes.length]).toEqual([200, '0', 0]);
    expect((await download('empty', { range: 'bytes=0-' })).status).toBe(416);
  });

  test('is sent under a name that hides nothing, whatever an agent has called it', async () => {
    const name = 'a"b\r\nSet-Cookie: x=1\u202Ecod.exe';
    await put(`odd/${name}`, 'odd');
    expect(await pathsOf('?folder=odd')).toEqual([`odd/${name}`]);
    const { status, headers, bytes } = await download(`odd/${encodeURIComponent(name)}`);
    expect([status, bytes.toString(), headers.get('set-cookie')]).toEqual([200, 'odd', null]);
    expect(headers.get('content-disposition')).toBe('attachment; filename="a_bSet-Cookie_ x=1cod.exe"');
  });

  test.each([
    'none',
    'out',
    'out%2F..%2Fnotes.md',
    '..%2F..%2Fetc%2Fpasswd',
    '%2Fetc%2Fpasswd',
    'notes.md%00',
    '.%2Fnotes.md',
    'NOTES.md',
  ])('is not what %s names', async (path) => {
    const { status, bytes } = await download(path);
    expect(status).toBe(404);
    expect(bytes.toString()).not.toContain('content of');
  });

  test('is sent as it was while agents replace it, and the new one afterwards', async () => {
    const [before, after] = [randomBytes(20_000), randomBytes(20_000)];
    await put('replaced', before);
    const { headers } = await download('replaced');
    await put('replaced', after);
    await purgeUnusedContents(served.api.database);
    const { status, bytes } = await download('replaced', { 'if-none-match': headers.get('etag') ?? '' });
    expect([status, bytes.equals(after)]).toEqual([200, true]);
  });
});
