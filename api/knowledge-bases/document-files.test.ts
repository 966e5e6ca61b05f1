import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findFileToExtract } from '../../db/files/texts.ts';
import { makePdf, PICTURE } from '../../test/support/documents/index.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Readonly<Record<string, unknown>> & { readonly id: string };

const MEGABYTE = 1024 ** 2;
const OLD_OFFICE = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1_000)]);
const LOCKED = Buffer.from('EncryptedPackage', 'utf16le');
const served = serveTestApi({ orgLimits: 'upload_bytes=3MB,upload_bytes_of_one=1MB' });
let owner: TestUser;
let base: string;
let documents: string;
beforeAll(async () => {
  owner = await registerUser(served.url);
});
beforeEach(async () => {
  const { json } = await owner.client.post<Fields>('/api/knowledge-bases', { name: 'Handbook' });
  base = `/api/knowledge-bases/${json.id}`;
  documents = `${base}/documents`;
});

interface Sent {
  readonly user?: TestUser;
  readonly name?: string;
  readonly part?: string;
  readonly query?: string;
}

async function upload(
  content: string | Buffer,
  { user = owner, name = 'Rules.md', part = 'file', query = '' }: Sent = {},
) {
  const form = new FormData();
  form.set(part, new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  return user.client.upload<Fields>(`${documents}/upload${query}`, form);
}

const listed = async () => (await owner.client.get<Fields[]>(documents)).json;

/** How many files there are, and how many chunks of them. */
async function stored() {
  const { rows } = await served.api.database.system.query<{ files: number; chunks: number }>(
    `select (select count(*)::int from chat_files where org_id = $1) as files,
      (select count(*)::int from chat_file_chunks where org_id = $1) as chunks`,
    [owner.orgId],
  );
  return rows[0];
}

describe('a file that is uploaded to a knowledge base', () => {
  test('is a document of it, whose text is to be extracted, and which can be downloaded', async () => {
    const { status, json } = await upload('# Rules\n\nBe kind.', { query: '?tags=people,%20work' });
    expect({ status, json }).toMatchObject({
      status: 201,
      json: { title: 'Rules.md', source: 'upload', status: 'pending', tags: ['people', 'work'], user_id: owner.id },
    });
    const fileId = String(json['file_id']);
    expect(await findFileToExtract(served.api.database, { orgId: owner.orgId, fileId })).toEqual({
      mediaType: 'text/markdown',
      size: 17,
    });
    const file = await owner.client.download(`${documents}/${json.id}/content`, { range: 'bytes=2-6' });
    expect({ status: file.status, text: file.bytes.toString() }).toEqual({ status: 206, text: 'Rules' });
    expect(file.headers.get('content-disposition')).toContain('Rules.md');
  });

  test('has the title that it is given, or the name of the file, as they are', async () => {
    const titleOf = async (sent: Sent) => (await upload(`# ${randomUUID()}`, sent)).json['title'];
    expect(await titleOf({ query: '?title=%2342%20Report' })).toBe('#42 Report');
    expect(await titleOf({ name: '# 42.md' })).toBe('# 42.md');
  });

  test.each(['%20', 'two%0Alines'])('is refused with the title %s', async (title) => {
    expect((await upload(`# ${randomUUID()}`, { query: `?title=${title}` })).status).toBe(422);
  });

  test('goes with its document, and with its base', async () => {
    const before = await stored();
    const [first, second] = [await upload('one'), await upload('two')];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect((await owner.client.delete(`${documents}/${first.json.id}`)).status).toBe(204);
    expect(await stored()).toEqual({ files: Number(before?.files) + 1, chunks: Number(before?.chunks) + 1 });
    expect((await owner.client.delete(base)).status).toBe(204);
    expect(await stored()).toEqual(before);
  });

  test('is there once, whatever its name', async () => {
    await upload('Tea is at four.', { name: 'tea.md' });
    const before = await stored();
    expect(await upload('Tea is at four.', { name: 'copy of tea.md' })).toMatchObject({
      status: 409,
      json: { detail: 'The knowledge base has this already, as the document "tea.md"' },
    });
    expect(await stored()).toEqual(before);
    expect(await listed()).toHaveLength(1);
  });

  test.each<[string, string | Buffer, Sent, number, string]>([
    ['is a picture', PICTURE, { name: 'a.pdf' }, 422, 'files of the type image/png'],
    ['is a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]), {}, 422, 'files of the type application/x-elf'],
    [
      'is an old Word file',
      OLD_OFFICE,
      { name: 'a.doc' },
      422,
      'Word (.docx), Excel (.xlsx), HTML and text can be added',
    ],
    ['has a password', Buffer.concat([OLD_OFFICE, LOCKED]), { name: 'a.docx' }, 422, 'is protected by a password'],
    ['is empty', '', {}, 422, 'the file is empty'],
    ['is too large', randomBytes(MEGABYTE).toString('hex'), {}, 413, 'must not exceed 1 MB'],
    ['has another part', 'text', { part: 'other' }, 422, 'this field does not exist'],
    ['has too many tags', 'text', { query: `?tags=${Array.from({ length: 21 }, (_, at) => at).join(',')}` }, 422, '20'],
    ['has an unknown setting', 'text', { query: '?language=de' }, 422, 'language'],
  ])('is refused when it %s, and leaves nothing', async (_name, content, sent, status, words) => {
    const before = await stored();
    const answer = await upload(content, sent);
    expect([answer.status, JSON.stringify(answer.json)]).toEqual([status, expect.stringContaining(words)]);
    expect([await stored(), await listed()]).toEqual([before, []]);
  });

  test('is refused beyond what the organization may upload', async () => {
    const user = await registerUser(served.url);
    const { json } = await user.client.post<Fields>('/api/knowledge-bases', { name: 'Handbook' });
    documents = `/api/knowledge-bases/${json.id}/documents`;
    const part = (letter: string) => letter.repeat(MEGABYTE);
    for (const letter of ['a', 'b', 'c']) expect((await upload(part(letter), { user })).status).toBe(201);
    expect(await upload('d', { user })).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('3 MB') },
    });
  });

  test('is taken from members with the right, and shown to those who may view', async () => {
    const viewer = await registerColleague(served.api, owner, 'viewer');
    const { json } = await upload('# Rules');
    expect((await upload('# Others', { user: viewer })).status).toBe(403);
    expect((await viewer.client.download(`${documents}/${json.id}/content`)).bytes.toString()).toBe('# Rules');
  });

  test('is not found by other organizations, nor by way of another base', async () => {
    const { json } = await upload(makePdf(['Sales rose by 7 %']), { name: 'report.pdf' });
    const stranger = await registerUser(served.url);
    expect((await stranger.client.download(`${documents}/${json.id}/content`)).status).toBe(404);
    expect((await upload('# Mine', { user: stranger })).status).toBe(404);
    const { json: other } = await owner.client.post<Fields>('/api/knowledge-bases', { name: 'Other' });
    const path = `/api/knowledge-bases/${other.id}/documents/${json.id}/content`;
    expect((await owner.client.download(path)).status).toBe(404);
  });

  test('is no file of a text that was added as one', async () => {
    const { json } = await owner.client.post<Fields>(documents, { text: 'Tea is at four.' });
    expect((await owner.client.download(`${documents}/${json.id}/content`)).status).toBe(404);
  });
});
