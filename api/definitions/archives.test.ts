import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from '@jest/globals';
import yazl from 'yazl';
import { readArchive } from '../../definition-files/index.ts';
import { createChat, registerUser, type TestUser, uploadFile } from '../../test/support/factories.ts';
import { download, upload } from '../../test/support/file-exchange.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

/** The buffers of a connection take some of an answer that nobody reads, an archive even whole. */
const MORE_THAN_SOCKETS_BUFFER = Buffer.alloc(16 * 1024 ** 2);
const MAX_DOWNLOADS = 10;
const served = serveTestApi();
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  owner = await registerUser(served.url);
  stranger = await registerUser(served.url);
});

async function importFile(user: TestUser, path: string, body: Buffer | FormData, type?: string, query = '') {
  const { status, json } = await upload(user, `${path}/import${query}`, body, type);
  return { status, json: json as Shown & { detail: unknown } };
}

function form(bytes: Buffer, part = 'file'): FormData {
  const data = new FormData();
  data.append(part, new Blob([new Uint8Array(bytes)]), 'a.zip');
  return data;
}

async function zip(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const archive = new yazl.ZipFile();
  for (const [path, text] of Object.entries(files)) archive.addBuffer(Buffer.from(text), path);
  archive.end();
  return buffer(archive.outputStream as NodeJS.ReadableStream & AsyncIterable<Buffer>);
}

async function add(path: string, fields: Record<string, unknown>, files: Readonly<Record<string, string>> = {}) {
  const { client } = owner;
  const category = path === '/api/skills' ? { category: 'custom' } : {};
  const body = { key: `k-${randomUUID()}`, name: 'Sample', ...category, ...fields };
  const { json } = await client.post<Shown>(path, body);
  for (const [name, content] of Object.entries(files))
    await client.send('PUT', `${path}/${json.id}/files/${name}`, { content });
  return (await client.get<Shown>(`${path}/${json.id}`)).json;
}

/** Asks for a file, and reads no more than the beginning of the answer. */
async function beginDownload({ client, accessToken }: TestUser, path: string): Promise<Socket> {
  const { hostname, port } = new URL(client.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${accessToken}\r\n\r\n`);
  const [beginning] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  expect(beginning.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

/** What two equal definitions share. */
function contentOf({ id: _id, owner_id: _owner, created_at: _created, updated_at: _updated, ...rest }: Shown) {
  return rest;
}

async function filesOf(user: TestUser, one: string) {
  const { json } = await user.client.get<{ path: string }[]>(`${one}/files`);
  return Promise.all(
    json.map(async ({ path }) => [path, (await user.client.get<Shown>(`${one}/files/${path}`)).json['content']]),
  );
}

const SKILL_MD = '---\nname: release-notes\ndescription: How we write them.\nx-owner: docs\n---\nBe brief.\n';
const TOOL = { name: 'Order', description: 'x', category: 'web', parameters: { type: 'object' }, x: 1 };
const TOOL_JSON = JSON.stringify(TOOL);

describe('a definition that is exported and imported in another organization', () => {
  test.each<[string, Record<string, unknown>, Record<string, string>]>([
    [
      '/api/skills',
      { category: 'writing', description: 'Ours.', version: '2.0' },
      { 'SKILL.md': SKILL_MD, 'references/a%20ü.md': 'a' },
    ],
    ['/api/skills', { category: 'data' }, {}],
    [
      '/api/tools',
      { category: 'data' },
      { 'tool.json': TOOL_JSON, 'http.json': '{"method":"GET","url":"https://e.com"}' },
    ],
    ['/api/tools', { description: 'Bare.' }, {}],
    [
      '/api/personas',
      {
        icon: '✏️',
        system_prompt: 'Edit.\n',
        soul: { tone: 'warm', deep: { b: 1, a: [2] } },
        default_tools: ['time_now'],
      },
      {},
    ],
  ])('is equal there: %s with %j', async (path, fields, files) => {
    const original = await add(path, fields, files);
    const first = await download(owner, `${path}/${original.id}/export`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(first.headers.get('content-disposition')).toContain(`${String(original['key'])}.zip`);
    for (const body of [form(first.bytes), first.bytes]) {
      const answer = await importFile(stranger, path, body, body instanceof FormData ? undefined : 'application/zip');
      expect([answer.status, contentOf(answer.json)]).toEqual([201, contentOf(original)]);
      const one = `${path}/${answer.json.id}`;
      if (path !== '/api/personas')
        expect(await filesOf(stranger, one)).toEqual(await filesOf(owner, `${path}/${original.id}`));
      const second = await download(stranger, `${one}/export`);
      expect(second.bytes.equals(first.bytes)).toBe(true);
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
      await stranger.client.delete(one);
    }
  });

  test.each(['/api/skills', '/api/personas'])('may be a builtin one of %s, by id or by key', async (path) => {
    for (const { builtin, bytes } of await exportBuiltin(path)) {
      const answer = await importFile(stranger, path, form(bytes));
      expect(answer.json).toMatchObject({ key: builtin['key'], name: builtin['name'], overrides: true });
      await stranger.client.delete(`${path}/${answer.json.id}`);
    }
  });

  test('cannot override a builtin tool, whose code is no part of the export', async () => {
    for (const { builtin, bytes } of await exportBuiltin('/api/tools')) {
      const key = String(builtin['key']);
      const answer = await importFile(stranger, '/api/tools', form(bytes));
      expect([answer.status, answer.json.detail]).toEqual([
        422,
        [
          {
            type: 'invalid_definition',
            loc: ['body', 'file', 'tool.json'],
            msg: expect.stringContaining(`cannot replace the builtin tool "${key}" without a runtime`),
          },
        ],
      ]);
      expect((await stranger.client.get<Shown>(`/api/tools/${builtin.id}`)).json).toMatchObject({
        usable: true,
        overridden_by: null,
      });
      const other = await importFile(stranger, '/api/tools', form(bytes), undefined, `?key=my_${key}`);
      expect([other.status, other.json]).toMatchObject([
        201,
        { key: `my_${key}`, overrides: false, usable: false, problem: 'tool.json: runtime is missing' },
      ]);
    }
    // With a runtime of its own a file may replace what ships with the service.
    const own = { name: 'Time', description: 'Ours.', category: 'utility', parameters: { type: 'object' } };
    const files = {
      'time_now/tool.json': JSON.stringify({ ...own, runtime: 'javascript' }),
      'time_now/main.js': 'export default () => 1',
    };
    const answer = await importFile(stranger, '/api/tools', form(await zip(files)));
    expect([answer.status, answer.json]).toMatchObject([201, { overrides: true, usable: true }]);
  });
});

/** Exports some of what ships with the service, by id and by key. */
async function exportBuiltin(path: string): Promise<{ readonly builtin: Shown; readonly bytes: Buffer }[]> {
  const { json } = await owner.client.get<Shown[]>(`${path}/builtin`);
  const some = json.filter(({ key }) => key !== 'agent_spawn').slice(0, 3);
  return Promise.all(
    some.map(async (builtin) => {
      const { status, bytes } = await download(owner, `${path}/${builtin.id}/export`);
      const byKey = await download(owner, `${path}/builtin/${String(builtin['key'])}/export`);
      expect([status, bytes.equals(byKey.bytes)]).toEqual([200, true]);
      return { builtin, bytes };
    }),
  );
}

test('an export contains one folder with the files of the definition', async () => {
  const skill = await add('/api/skills', { category: 'writing' }, { 'SKILL.md': SKILL_MD });
  const { bytes } = await download(owner, `/api/skills/${skill.id}/export`);
  const { folder, files } = await readArchive(bytes);
  expect([folder, [...files.keys()]]).toEqual([skill['key'], ['SKILL.md', 'skill.json']]);
});

test('an export is not sent again to those who have it', async () => {
  const skill = await add('/api/skills', { category: 'writing' }, { 'SKILL.md': SKILL_MD });
  const path = `/api/skills/${skill.id}/export`;
  const tag = (await download(owner, path)).headers.get('etag') ?? '';
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const { status, headers, bytes } = await owner.client.download(path, { 'if-none-match': known });
    expect([status, headers.get('etag'), bytes.length]).toEqual([304, tag, 0]);
  }
  await owner.client.patch(`/api/skills/${skill.id}`, { description: 'Changed.' });
  const { status, bytes } = await owner.client.download(path, { 'if-none-match': tag });
  expect([status, bytes.length > 0]).toEqual([200, true]);
});

test('an export takes one of the slots that a user has for downloads', async () => {
  const skill = await add('/api/skills', { category: 'writing' }, { 'SKILL.md': SKILL_MD });
  const statusOf = async () => (await download(owner, `/api/skills/${skill.id}/export`)).status;
  const chatId = await createChat(owner.client);
  const fileId = await uploadFile(owner.client, chatId, { content: MORE_THAN_SOCKETS_BUFFER });
  const stalled: Socket[] = [];
  try {
    for (let index = 0; index < MAX_DOWNLOADS; index += 1) {
      expect(await statusOf()).toBe(200);
      stalled.push(await beginDownload(owner, `/api/chats/${chatId}/files/${fileId}/content`));
    }
    expect(await statusOf()).toBe(429);
  } finally {
    for (const socket of stalled) socket.destroy();
  }
  await waitUntil('a place to be free', async () => (await statusOf()) === 200 || undefined);
});

test('an export of an unknown definition, or of another organization, is answered with 404', async () => {
  const skill = await add('/api/skills', { category: 'writing' });
  for (const path of [
    `/api/skills/${skill.id}/export`,
    `/api/skills/${randomUUID()}/export`,
    '/api/skills/builtin/none/export',
  ])
    expect((await download(stranger, path)).status).toBe(404);
});

describe('an import', () => {
  const skills = async () => (await owner.client.get('/api/skills')).json;

  test.each<[string, () => Promise<Buffer | FormData>, string | undefined, number]>([
    ['what is no archive', async () => form(Buffer.from('nonsense')), undefined, 422],
    ['an empty body', async () => Buffer.alloc(0), 'application/zip', 422],
    ['an archive without SKILL.md', async () => form(await zip({ 'k/a.md': 'a' })), undefined, 422],
    ['front matter that is none', async () => form(await zip({ 'k/SKILL.md': '# Title' })), undefined, 422],
    [
      'an invalid category',
      async () =>
        form(await zip({ 'k/SKILL.md': SKILL_MD, 'k/skill.json': '{"name":"a","description":"","category":"x"}' })),
      undefined,
      422,
    ],
    ['a key that is none', async () => form(await zip({ 'No Key/SKILL.md': SKILL_MD })), undefined, 422],
    ['a form without a file', async () => form(await zip({ 'k/SKILL.md': SKILL_MD }), 'other'), undefined, 422],
    ['another type of body', async () => zip({ 'k/SKILL.md': SKILL_MD }), 'application/octet-stream', 415],
    ['JSON', async () => Buffer.from('{}'), 'application/json', 415],
    ['too large a form', async () => form(Buffer.alloc(3 * 1024 * 1024)), undefined, 413],
    ['too large a body', async () => Buffer.alloc(3 * 1024 * 1024), 'application/zip', 413],
  ])('of %s is refused, and nothing is stored', async (_title, make, type, status) => {
    const before = await skills();
    const answer = await importFile(owner, '/api/skills', await make(), type);
    expect(answer.status).toBe(status);
    expect(answer.json.detail).toBeDefined();
    expect(await skills()).toEqual(before);
  });

  test('of a wrong type says which types are taken', async () => {
    const { json } = await importFile(owner, '/api/skills', Buffer.from('{}'), 'application/json');
    expect(json.detail).toBe(
      'The file must be sent as multipart/form-data with a part "file", or by itself as application/zip, without a content encoding',
    );
  });

  test('of a skill without SKILL.md says which file is missing', async () => {
    const answer = await importFile(owner, '/api/skills', form(await zip({ 'k/README.md': SKILL_MD })));
    expect(answer.json.detail).toEqual([
      { type: 'invalid_definition', loc: ['body', 'file'], msg: expect.stringContaining('has no SKILL.md') },
    ]);
  });

  test('was never changed before it was made', async () => {
    for (const path of ['k/SKILL.md', 'k/a.md']) {
      const archive = form(await zip({ 'k/SKILL.md': SKILL_MD, [path]: SKILL_MD }));
      const { json } = await importFile(stranger, '/api/skills', archive);
      expect(String(json['updated_at']) >= String(json['created_at'])).toBe(true);
      await stranger.client.delete(`/api/skills/${json.id}`);
    }
  });

  test('says which file is wrong', async () => {
    const answer = await importFile(
      owner,
      '/api/skills',
      form(await zip({ 'k/SKILL.md': SKILL_MD, 'k/b.md': '\u0000' })),
    );
    expect(answer.json.detail).toEqual([
      { type: 'invalid_definition', loc: ['body', 'file', 'b.md'], msg: expect.stringContaining('NUL') },
    ]);
  });

  test('of a key that is taken is answered with 409', async () => {
    const archive = await zip({ 'taken/SKILL.md': SKILL_MD });
    expect((await importFile(owner, '/api/skills', form(archive))).status).toBe(201);
    const again = await importFile(owner, '/api/skills', form(archive));
    expect([again.status, again.json.detail]).toEqual([409, expect.stringContaining('"taken" already')]);
  });

  test.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['/api/tools', { category: 'web' }, { 'tool.json': TOOL_JSON }],
    ['/api/skills', { category: 'writing', description: 'Ours.' }, { 'SKILL.md': SKILL_MD }],
    ['/api/personas', { system_prompt: 'Edit.' }, {}],
  ])('gives what is exported another key, also in the same organization: %s', async (path, fields, files) => {
    const original = await add(path, fields, files);
    const key = `k-${randomUUID()}`;
    if (path === '/api/tools') {
      const content = JSON.stringify({ ...TOOL, key: original['key'] });
      await owner.client.send('PUT', `${path}/${original.id}/files/tool.json`, { content });
    }
    const { bytes } = await download(owner, `${path}/${original.id}/export`);
    expect((await importFile(owner, path, form(bytes))).status).toBe(409);
    const { status, json } = await importFile(owner, path, form(bytes), undefined, `?key=${key}`);
    const { json: now } = await owner.client.get<Shown>(`${path}/${original.id}`);
    expect([status, contentOf(json)]).toEqual([201, { ...contentOf(now), key }]);
    if (path !== '/api/tools') return;
    const file = await owner.client.get<Shown>(`${path}/${json.id}/files/tool.json`);
    expect(JSON.parse(String(file.json['content']))).toMatchObject({ key, x: 1 });
  });

  test('takes a skill of another program', async () => {
    const text = '---\nname: pdf-forms\ndescription: Fills forms.\nlicense: MIT\nallowed-tools: Bash\n---\n# Forms\n';
    const answer = await importFile(
      owner,
      '/api/skills',
      form(await zip({ 'SKILL.md': text, 'scripts/fill.py': 'print()' })),
    );
    expect(answer.json).toMatchObject({ key: 'pdf-forms', name: 'pdf-forms', category: 'custom' });
  });
});
