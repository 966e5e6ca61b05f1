import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeDocx, makePdf } from '../support/documents/index.ts';
import { createChat, registerUser, type TestUser, uploadFile } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

type Fields = Readonly<Record<string, unknown>>;

let instance: TestInstance;
let outside: OutsideServer;
let user: TestUser;
let documents: string;
beforeAll(async () => {
  outside = await OutsideServer.start();
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
  const { json: base } = await user.client.post<{ id: string }>('/api/knowledge-bases', { name: 'Handbook' });
  documents = `/api/knowledge-bases/${base.id}/documents`;
});
afterAll(async () => {
  await instance.close();
  outside.close();
});

async function add(document: Fields): Promise<string> {
  const { json: added } = await user.client.post<{ id: string }>(documents, document);
  return added.id;
}

async function read(id: string, statuses: readonly string[] = ['ready', 'failed']): Promise<Fields> {
  return waitUntil(`a document to be ${statuses.join(' or ')}`, async () => {
    const { json: document } = await user.client.get<Fields>(`${documents}/${id}`);
    return statuses.includes(String(document['status'])) ? document : undefined;
  });
}

async function found(q: string): Promise<Fields | undefined> {
  const path = documents.replace(/documents$/, `search?q=${encodeURIComponent(q)}`);
  return (await user.client.get<{ results: Fields[] }>(path)).json.results[0];
}

const page = (html: string | Buffer, type = 'text/html') => {
  outside.reply = (response) => void response.writeHead(200, { 'content-type': type }).end(html);
};

test('a text is read and found', async () => {
  const id = await add({ text: '# Tea\n\nTea is at four.' });
  expect(await read(id)).toMatchObject({ status: 'ready', characters: 22, passages: 1, error: null });
  expect(await found('when is tea')).toMatchObject({ document_id: id, heading: 'Tea', start: 0, end: 22 });
});

test('a file is read, as soon as its own text has been extracted', async () => {
  const chatId = await createChat(user.client);
  const fileId = await uploadFile(user.client, chatId, { name: 'r.pdf', content: makePdf(['Sales rose by 7%']) });
  const id = await add({ file_id: fileId });
  expect(await read(id)).toMatchObject({ status: 'ready', title: 'r.pdf' });
  expect(await found('sales')).toMatchObject({ document_id: id, source: 'file', file_id: fileId });
});

async function uploadDocument(name: string, content: Buffer): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(content)]), name);
  return (await user.client.upload<{ id: string }>(`${documents}/upload`, form)).json.id;
}

test.each([
  ['plums.pdf', makePdf(['Plums ripen in August']), 'plums', 'Plums ripen in August'],
  ['pears.docx', makeDocx(['Pears ripen in September']), 'pears', 'Pears ripen in September'],
])('%s is uploaded, read and found', async (name, content, question, text) => {
  const id = await uploadDocument(name, content);
  expect(await read(id)).toMatchObject({ status: 'ready', title: name, source: 'upload', error: null });
  expect(await found(question)).toMatchObject({ document_id: id, text: expect.stringContaining(text) });
});

test('a file that turns out to be broken fails in words', async () => {
  const id = await uploadDocument('broken.pdf', Buffer.from('%PDF-1.7 and nothing else'));
  expect(await read(id)).toMatchObject({ status: 'failed', passages: 0, error: expect.stringMatching(/PDF/i) });
});

test.each([
  ['an uploaded file', async () => uploadDocument('blank.txt', Buffer.from('   \n'))],
  ['a page', async () => add({ url: `${outside.url}/blank` })],
])('%s with nothing but blanks fails in words', async (_what, addBlank) => {
  page('<html> \n</html>');
  expect(await read(await addBlank())).toMatchObject({ status: 'failed', passages: 0, error: 'It contains no text' });
});

test('a page is fetched and read', async () => {
  page('<html><h1>Opening hours</h1><script>alert(1)</script><p>From nine to five.</p></html>');
  const id = await add({ url: `${outside.url}/hours`, title: 'Hours' });
  expect(await read(id)).toMatchObject({ status: 'ready' });
  const passage = await found('opening hours');
  expect(passage).toMatchObject({ document_title: 'Hours', url: `${outside.url}/hours` });
  expect(passage?.['text']).not.toContain('alert');
});

test('a page is read in the encoding that its server declares', async () => {
  page(Buffer.concat([Buffer.from('<h1>'), Buffer.from('93fa967b8cea', 'hex')]), 'text/html; charset=Shift_JIS');
  const id = await add({ url: `${outside.url}/japanese` });
  expect(await read(id)).toMatchObject({ status: 'ready' });
  expect(await found('日本語')).toMatchObject({ document_id: id });
});

test.each([
  ['application/xhtml+xml', '<html><script>alert(1)</script><p>A crocus</p></html>', 'crocus', 'A crocus'],
  ['application/rss+xml', '<rss><title>An iris</title></rss>', 'iris', '<rss><title>An iris</title></rss>'],
  ['application/ld+json', '{"name":"A tulip"}', 'tulip', '{"name":"A tulip"}'],
])('a page of the type %s is read as what that is derived from', async (type, content, word, text) => {
  page(content, type);
  const id = await add({ url: `${outside.url}/${word}` });
  expect(await read(id)).toMatchObject({ status: 'ready' });
  expect(await found(word)).toMatchObject({ document_id: id, text });
});

test('an agent adds a document, and finds it in a later turn, marked as data from outside', async () => {
  const chat = await OpenChat.create(instance, { agent: { tools: ['knowledge_search', 'knowledge_add'] } });
  const { client } = chat.user;
  const { json: base } = await client.post<{ id: string }>('/api/knowledge-bases', { name: 'Notes' });
  const tool = (name: string, args: object) => `[[tool ${name} ${JSON.stringify(args)}]] [[then]] [[say ok]]`;
  const play = async (content: string) => {
    const stream = await chat.post({ content });
    await stream.waitForEnd();
    stream.close();
    const answer = (await chat.answers()).at(-1);
    const [call] = (answer?.metadata_['tool_calls_detail'] ?? []) as readonly Fields[];
    return call;
  };
  const added = await play(tool('knowledge_add', { knowledge_base_id: 'Notes', text: 'The persimmon is sweet.' }));
  // Its reading begins in the background and may be over by the time the tool answers.
  expect(added).toMatchObject({
    status: 'success',
    result: expect.stringMatching(/"status":"(pending|processing|ready)"/),
  });
  await waitUntil('the document to be read', async () => {
    const { json: documents } = await client.get<Fields[]>(`/api/knowledge-bases/${base.id}/documents`);
    return documents[0]?.['status'] === 'ready' || undefined;
  });
  const call = await play(tool('knowledge_search', { query: 'Which persimmon is sweet?' }));
  expect(call).toMatchObject({ status: 'success' });
  expect(call?.['result']).toMatch(/^\[Data from outside between the marks [^]*The persimmon is sweet\.[^]*>>/);
  chat.close();
});

test.each([
  ['that may not be reached', async () => 'http://127.0.0.2:9/', 'private'],
  ['with nothing there', async () => ((outside.reply = json({}, 404)), `${outside.url}/none`), 'status 404'],
  ['of a picture', async () => (page('x', 'image/png'), `${outside.url}/p`), 'of the type image/png'],
])('an address %s fails in words', async (_name, arrange, words) => {
  const id = await add({ url: await arrange() });
  expect(await read(id)).toMatchObject({ status: 'failed', error: expect.stringContaining(words), passages: 0 });
});

longTest('a document is read although its worker was killed while it read it', async () => {
  outside.reply = () => undefined;
  const id = await add({ url: `${outside.url}/slow` });
  await read(id, ['processing']);
  await waitUntil('the page to be asked for', async () => outside.seen.some(({ url }) => url === '/slow') || undefined);
  await instance.killWorkers();
  page('<p>The quince is ripe.</p>');
  await instance.addWorker();
  expect(await read(id, ['ready', 'failed'])).toMatchObject({ status: 'ready' });
  expect(await found('quince')).toMatchObject({ document_id: id });
});
