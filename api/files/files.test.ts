import { randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createChat, registerUser, type TestUser, uploadFile } from '../../test/support/factories.ts';
import { makeDocx, makePdf, PICTURE } from '../../test/support/documents/index.ts';
import { sendRaw } from '../../test/support/raw-http.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

type Fields = Record<string, unknown>;

const A_FILE = ['file', 'x', 'a.txt'] as const;
const MEGABYTE = 1024 ** 2;
const served = serveTestApi({ orgLimits: 'upload_bytes=3MB,upload_bytes_of_one=1MB' });
let user: TestUser;
let chatId: string;
beforeAll(async () => {
  user = await registerUser(served.url);
  chatId = await createChat(user.client);
});

type Part = readonly [part: string, content: string | Buffer, name?: string];

function formOf(...parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [part, content, name] of parts) {
    if (name === undefined) form.append(part, String(content));
    else form.append(part, new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  }
  return form;
}

async function upload(content: string | Buffer, name = 'a.txt', chat = chatId) {
  return user.client.upload<Fields & { id: string }>(`/api/chats/${chat}/files`, formOf(['file', content, name]));
}

async function download(fileId: string, headers: Record<string, string> = {}, method = 'GET') {
  return user.client.download(`/api/chats/${chatId}/files/${fileId}/content`, headers, method);
}

/** How many rows the tables of files have. */
async function counts() {
  const { rows } = await served.api.database.system.query<{ files: number; chunks: number; texts: number }>(
    `select (select count(*)::int from chat_files) as files, (select count(*)::int from chat_file_chunks) as chunks,
      (select count(*)::int from chat_file_texts) as texts`,
  );
  return rows[0];
}

/** A multipart form as bytes, with one file. */
function rawForm(content: string, { part = 'file', filename = 'filename="a.txt"' } = {}): string {
  return `--x\r\nContent-Disposition: form-data; name="${part}"; ${filename}\r\n\r\n${content}\r\n--x--\r\n`;
}

async function sendForm(
  body: string | Buffer,
  { type = 'multipart/form-data; boundary=x', length = body.length } = {},
) {
  const head = [
    `POST /api/chats/${chatId}/files HTTP/1.1`,
    `Authorization: Bearer ${user.accessToken}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
  ];
  return sendRaw(served.url, { head: head.join('\r\n'), body });
}

describe('an upload', () => {
  test.each([
    ['a.txt', 'some text', 'text/plain'],
    ['a.md', '# Title', 'text/markdown'],
    ['a.csv', 'a,b\n1,2', 'text/csv'],
    ['a.json', '{"a": 1}', 'application/json'],
    ['a.html', '<!doctype html><p>x', 'text/html'],
    ['a.pdf', makePdf(['x']), 'application/pdf'],
    ['a.docx', makeDocx(['x']), 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.png', PICTURE, 'image/png'],
    ['picture.pdf', PICTURE, 'image/png'],
    ['text.pdf', 'no PDF', 'text/plain'],
    ['a.txt', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]), 'application/x-elf'],
    ['a.txt', Buffer.from('a\u0000b'), 'application/octet-stream'],
    ['a.txt', Buffer.from('\uFEFFHello', 'utf16le'), 'text/plain'],
    ['a.csv', Buffer.from('\uFEFFa;b\r\n1;2', 'utf16le').swap16(), 'text/csv'],
    ['a.log', Buffer.from(`\uFEFF${'世'.repeat(40_000)}`, 'utf16le'), 'text/plain'],
    ['cut.txt', Buffer.from('\uFEFFHello \uD83C, again', 'utf16le'), 'text/plain'],
    ['a.txt', Buffer.from('\uFEFFBM is at the beginning of a bitmap'), 'text/plain'],
    ['a.json', Buffer.from('\uFEFF{}'), 'application/json'],
    ['bmw.txt', 'BMW sold 2,500 cars', 'text/plain'],
    ['amounts.csv', 'BM,amount\n1,2', 'text/csv'],
    ...['ID3 ', 'MZ ', 'GIF', 'LZIP', 'solid ', 'fLaC', 'AC1015', 'MP+', 'MThd', 'CWS', 'BZh', '!<arch>\n'].map(
      (letters): [string, string, string] => ['a.md', `${letters} is what it begins with: äöü`, 'text/markdown'],
    ),
    ['towns.csv', Buffer.from('MZ;K\u00f6ln\r\n1;2', 'latin1'), 'text/csv'],
    ['a.txt', Buffer.from([0xff, 0xfe, 0, 0, 0x48, 0, 0, 0]), 'application/octet-stream'],
    ['cut.txt', `BM${'世'.repeat(40_000)}`, 'text/plain'],
    ['a.txt', '%PDF-1.7', 'application/pdf'],
    ['a.txt', '{\\rtf1 x}', 'application/rtf'],
    ['a.txt', '%!PS\n', 'application/postscript'],
    ['a.xml', '<?xml version="1.0"?><a/>', 'application/xml'],
    ['a.txt', Buffer.from('BZh91AY&SY\u00e4\u00f6\u00fc\u00df', 'latin1'), 'application/x-bzip2'],
    ['a.txt', Buffer.from('BM\u0010\u0000\u0000\u0000'), 'image/bmp'],
    // The head of a frame of sound, whose bytes are no text in UTF-16.
    ['a.mp1', Buffer.concat([Buffer.from([0xff, 0xfe, 0x40, 0xc4]), Buffer.alloc(400)]), 'audio/mpeg'],
  ])('of %s with %j has the type %s', async (name, content, mediaType) => {
    const { status, json } = await upload(content, name);
    expect([status, json]).toEqual([201, expect.objectContaining({ name, media_type: mediaType })]);
    expect(json['size']).toBe(Buffer.byteLength(content));
    expect(json['status']).toBe(mediaType.startsWith('image/') ? 'ready' : 'pending');
    expect((await user.client.get(`/api/chats/${chatId}/files/${json.id}`)).json).toEqual(json);
    expect((await download(json.id)).bytes).toEqual(Buffer.from(content));
    expect((await user.client.delete(`/api/chats/${chatId}/files/${json.id}`)).status).toBe(204);
  });

  test.each([
    ['filename="../../etc/passwd"', '../../etc/passwd', 'uploads/passwd'],
    ['filename="invoice\u202Efdp.exe"', 'invoice\u202Efdp.exe', 'uploads/invoicefdp.exe'],
    ["filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22heute%22.txt", 'Grüße "heute".txt', 'uploads/Grüße _heute_.txt'],
  ])('whose form says %s shows that name, and is found under a clean one', async (filename, name, path) => {
    const { status, text } = await sendForm(Buffer.from(rawForm('x', { filename })));
    const json = JSON.parse(Buffer.from(text.split('\r\n\r\n')[1] ?? '', 'latin1').toString()) as Fields;
    expect([status, json['name'], json['path']]).toEqual([201, name, path]);
    expect((await user.client.delete(`/api/chats/${chatId}/files/${String(json['id'])}`)).status).toBe(204);
  });

  test('gets a name of its own in the workspace', async () => {
    const own = await createChat(user.client);
    const answers = await Promise.all(Array.from({ length: 4 }, async () => upload('x', 'same.txt', own)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(answers.map(({ json }) => String(json['path'])).toSorted()).toEqual([
      'uploads/same (2).txt',
      'uploads/same (3).txt',
      'uploads/same (4).txt',
      'uploads/same.txt',
    ]);
  });

  test.each([
    ['no part', formOf(), ['body', 'file']],
    ['a part of another name', formOf(['upload', 'x', 'a.txt']), ['body', 'upload']],
    ['a field beside it', formOf(['file', 'x', 'a.txt'], ['more', 'x']), ['body', 'more']],
    ['a field before it', formOf(['more', 'x'], ['file', 'x', 'a.txt']), ['body', 'more']],
    ['a field in its place', formOf(['file', 'x']), ['body', 'file']],
    ['five parts', formOf(A_FILE, A_FILE, A_FILE, A_FILE, A_FILE), ['body', 'file']],
    ['no bytes', formOf(['file', '', 'a.txt']), ['body', 'file']],
    ['a name that is too long', formOf(['file', 'x', `${'n'.repeat(256)}.txt`]), ['body', 'file']],
  ])('with %s is rejected, and leaves nothing', async (_, form, loc) => {
    const before = await counts();
    const { status, json } = await user.client.upload<Fields>(`/api/chats/${chatId}/files`, form);
    expect([status, json]).toEqual([422, { detail: [expect.objectContaining({ loc })] }]);
    expect(await counts()).toEqual(before);
  });

  test('of exactly the limit is taken, and of a byte more is not', async () => {
    const taken = await upload(Buffer.alloc(MEGABYTE, 'x'));
    expect([taken.status, taken.json['size']]).toEqual([201, MEGABYTE]);
    const before = await counts();
    for (const more of [1, 100_000]) {
      const { status, json } = await upload(Buffer.alloc(MEGABYTE + more, 'x'));
      expect([status, json]).toEqual([413, { detail: 'A file must not exceed 1 MB' }]);
    }
    expect(await counts()).toEqual(before);
    await user.client.delete(`/api/chats/${chatId}/files/${taken.json.id}`);
  });

  test('beyond what the organization may have is a conflict, and leaves nothing', async () => {
    const other = await registerUser(served.url);
    const chat = await createChat(other.client);
    const send = async () =>
      other.client.upload<Fields>(`/api/chats/${chat}/files`, formOf(['file', Buffer.alloc(MEGABYTE, 'x'), 'a.txt']));
    for (let each = 0; each < 3; each += 1) expect((await send()).status).toBe(201);
    const before = await counts();
    const { status, json } = await send();
    expect([status, json]).toEqual([409, { detail: expect.stringContaining('limit of 3 MB of uploaded files') }]);
    expect(await counts()).toEqual(before);
  });

  test.each([
    ['the end mark is missing', rawForm('content').replace('--x--\r\n', ''), {}],
    ['there is no head', '--x\r\n\r\n--x--\r\n', {}],
    ['there is another boundary', rawForm('content').replaceAll('--x', '--y'), {}],
    ['there is no boundary', rawForm('content'), { type: 'multipart/form-data' }],
    ['a field has no name', rawForm('content', { filename: '' }).replace(' name="file";', ''), {}],
    ['a file has no name', rawForm('content').replace(' name="file";', ''), {}],
  ])('whose form is broken (%s) is rejected, and leaves nothing', async (_, body, options) => {
    const before = await counts();
    expect((await sendForm(body, options)).status).toBe(422);
    expect(await counts()).toEqual(before);
  });

  test('that is cut off in the middle leaves nothing', async () => {
    const before = await counts();
    const body = rawForm('y'.repeat(600_000)).slice(0, 500_000);
    const head = [
      `POST /api/chats/${chatId}/files HTTP/1.1`,
      `Authorization: Bearer ${user.accessToken}`,
      'Content-Type: multipart/form-data; boundary=x',
      'Content-Length: 600100',
    ];
    const { hostname, port } = new URL(served.url);
    const socket = connect(Number(port), hostname);
    socket.write(`${head.join('\r\n')}\r\nHost: ${hostname}\r\n\r\n${body}`);
    await waitUntil(
      'chunks to arrive',
      async () => ((await counts())?.chunks ?? 0) > (before?.chunks ?? 0) || undefined,
    );
    socket.destroy();
    await waitUntil('the chunks to be gone', async () =>
      JSON.stringify(await counts()) === JSON.stringify(before) ? true : undefined,
    );
  });

  test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
    'as %s is of the wrong type',
    async (type) => {
      expect((await sendForm('x', { type })).status).toBe(415);
    },
  );

  test('without a body lacks its file', async () => {
    const { status, json } = await user.client.post(`/api/chats/${chatId}/files`);
    expect([status, json]).toMatchObject([422, { detail: [{ type: 'missing', loc: ['body', 'file'] }] }]);
  });

  test('is not taken by the chat of another, of a sub-agent, or one that was deleted', async () => {
    const other = await registerUser(served.url);
    const theirs = await createChat(other.client);
    const deleted = await createChat(user.client);
    await user.client.delete(`/api/chats/${deleted}`);
    for (const chat of [theirs, deleted, randomUUID()]) {
      const { status, json } = await upload('x', 'a.txt', chat);
      expect([status, json]).toEqual([404, { detail: 'Chat not found' }]);
    }
    const below = randomUUID();
    await served.api.database.system.query(
      `insert into chats (id, org_id, user_id, agent_id, title, parent_chat_id)
        select $1, org_id, user_id, agent_id, 'Sub', id from chats where id = $2`,
      [below, chatId],
    );
    expect((await upload('x', 'a.txt', below)).status).toBe(409);
  });
});

describe('a download', () => {
  const content = randomBytes(700_000);
  let fileId: string;
  beforeAll(async () => {
    fileId = await uploadFile(user.client, chatId, { name: 'Grüße; "x".bin', content });
  });

  test('is an attachment that no browser takes for anything else', async () => {
    const { status, headers, bytes } = await download(fileId);
    expect([status, bytes.equals(content)]).toEqual([200, true]);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=".+"; filename\*=UTF-8''Gr%C3%BC/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-length')).toBe('700000');
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('etag')).toBe(`"${fileId}"`);
  });

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=10-19', 10, 20],
    ['bytes=262140-262150', 262_140, 262_151],
    ['bytes=262144-524287', 262_144, 524_288],
    ['bytes=699990-', 699_990, 700_000],
    ['bytes=-5', 699_995, 700_000],
    ['bytes=5-9999999', 5, 700_000],
  ])('sends the part that %s asks for', async (range, start, end) => {
    const { status, headers, bytes } = await download(fileId, { range });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end - 1}/700000`]);
    expect(bytes.equals(content.subarray(start, end))).toBe(true);
  });

  test.each(['bytes=700000-', 'bytes=-0', 'bytes=9-1'])('has no part that %s asks for', async (range) => {
    const { status, headers, bytes } = await download(fileId, { range });
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */700000']);
    expect(JSON.parse(bytes.toString())).toEqual({ detail: 'The file has 700000 bytes' });
  });

  test('is whole when the range is malformed, of several parts, or of another version', async () => {
    for (const headers of [
      { range: 'lines=1-2' },
      { range: 'bytes=x' },
      { range: 'bytes=0-1,90-91' },
      { range: 'bytes=0-1', 'if-range': '"other"' },
    ]) {
      expect((await download(fileId, headers)).status).toBe(200);
    }
    expect((await download(fileId, { range: 'bytes=0-1', 'if-range': `"${fileId}"` })).status).toBe(206);
  });

  test('is not sent again to those who have it, whatever part they ask for', async () => {
    for (const more of [{}, { range: 'bytes=0-1' }]) {
      const { status, headers, bytes } = await download(fileId, { ...more, 'if-none-match': `"${fileId}"` });
      expect([status, headers.get('etag'), bytes.length]).toEqual([304, `"${fileId}"`, 0]);
    }
    expect((await download(fileId, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('answers HEAD without the bytes', async () => {
    const { status, headers, bytes } = await download(fileId, {}, 'HEAD');
    expect([status, headers.get('content-length'), bytes.length]).toEqual([200, '700000', 0]);
  });
});

describe('a deleted file', () => {
  test('leaves neither bytes nor text', async () => {
    const before = await counts();
    const fileId = await uploadFile(user.client, chatId, { content: 'gone soon' });
    await served.api.database.system.query(
      `insert into chat_file_texts (file_id, seq, org_id, content) values ($1, 0, $2, 'gone soon')`,
      [fileId, user.orgId],
    );
    expect((await user.client.delete(`/api/chats/${chatId}/files/${fileId}`)).status).toBe(204);
    expect(await counts()).toEqual(before);
    expect((await download(fileId)).status).toBe(404);
    expect((await user.client.delete(`/api/chats/${chatId}/files/${fileId}`)).status).toBe(404);
  });
});

describe('a message with files', () => {
  const send = async (chat: string, body: Fields) => user.client.post<Fields>(`/api/chats/${chat}/stream`, body);

  test('names files of its own chat only', async () => {
    const other = await createChat(user.client);
    const fileId = await uploadFile(user.client, other);
    for (const id of [fileId, randomUUID()]) {
      const { status, json } = await send(chatId, { content: 'read', file_ids: [id] });
      expect([status, json]).toEqual([404, { detail: 'File not found' }]);
    }
  });
});
