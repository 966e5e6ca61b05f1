import { beforeAll, describe, expect, test } from '@jest/globals';
import { beginReading, failReading } from '../../db/knowledge-bases/documents.ts';
import { storePassages } from '../../db/knowledge-bases/store-passages.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { createChat, registerUser, type TestUser, uploadFile } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Found {
  readonly results: readonly { readonly document_title: string; readonly text: string; readonly heading: string }[];
}

const served = serveTestApi({ orgLimits: 'knowledge_bases=12,knowledge_bytes=1MB' });
const limits = parseOrgLimits('knowledge_bytes=1MB');
let owner: TestUser;
beforeAll(async () => {
  owner = await registerUser(served.url);
});

async function createBase(user = owner): Promise<string> {
  return (await user.client.post<{ id: string }>('/api/knowledge-bases', { name: 'Handbook' })).json.id;
}

const documentsOf = (baseId: string) => `/api/knowledge-bases/${baseId}/documents`;
const baseOf = async (id: string) => (await owner.client.get<Fields>(`/api/knowledge-bases/${id}`)).json;

/** Adds a text, and has it read as a worker does. */
async function addText(
  baseId: string,
  text: string,
  { title, user = owner }: { title?: string; user?: TestUser } = {},
) {
  const { json } = await user.client.post<{ id: string }>(documentsOf(baseId), { text, title });
  const ref = { orgId: user.orgId, knowledgeBaseId: baseId, documentId: json.id };
  await beginReading(served.api.database, ref);
  await storePassages(served.api.database, ref, text, limits);
  return ref;
}

async function search(baseId: string, q: string, user = owner): Promise<Found['results']> {
  const path = `/api/knowledge-bases/${baseId}/search?q=${encodeURIComponent(q)}`;
  const answer = await user.client.get<Found>(path);
  expect(answer.status).toBe(200);
  return answer.json.results;
}

const titlesOf = async (baseId: string, q: string) =>
  (await search(baseId, q)).map(({ document_title: title }) => title);

describe('a knowledge base', () => {
  test('is added, changed and deleted with all that is in it', async () => {
    const { json, status } = await owner.client.post<Fields>('/api/knowledge-bases', { name: 'Handbook' });
    expect({ status, json }).toMatchObject({ status: 201, json: { description: '', documents: 0, passages: 0 } });
    const id = String(json['id']);
    const { documentId } = await addText(id, 'Tea is at four.');
    expect(await baseOf(id)).toMatchObject({ documents: 1, passages: 1, bytes: 15 });
    const changed = await owner.client.patch(`/api/knowledge-bases/${id}`, { description: 'How we work.' });
    expect(changed.json).toMatchObject({ name: 'Handbook', description: 'How we work.', documents: 1 });
    expect((await owner.client.delete(`/api/knowledge-bases/${id}`)).status).toBe(204);
    expect((await owner.client.get(`${documentsOf(id)}/${documentId}`)).status).toBe(404);
    const { rows } = await served.api.database.system.query(
      `select (select count(*)::int from knowledge_passages where document_id = $1) as passages,
        (select count(*)::int from knowledge_words where document_id = $1) as words`,
      [documentId],
    );
    expect(rows).toEqual([{ passages: 0, words: 0 }]);
  });

  test('is one of so many at most', async () => {
    const user = await registerUser(served.url);
    for (let count = 0; count < 12; count += 1) await createBase(user);
    const refused = await user.client.post('/api/knowledge-bases', { name: 'One more' });
    expect(refused).toMatchObject({ status: 409, json: { detail: expect.stringContaining('12 knowledge bases') } });
  });
});

describe('a document', () => {
  test('is named after its first line, its file or its address, unless it has a title', async () => {
    const path = documentsOf(await createBase());
    const fileId = await uploadFile(owner.client, await createChat(owner.client), { name: 'Rules.md', content: '# A' });
    const titles = [];
    for (const document of [
      { text: '\n## Opening hours\n\nFrom nine.' },
      { file_id: fileId },
      { url: 'https://docs.example.com/a' },
      { text: 'From nine to five.', title: 'Hours', url: 'https://docs.example.com/b' },
    ]) {
      const { json } = await owner.client.post<Fields>(path, document);
      expect(json).toMatchObject({ status: 'pending', error: null, characters: null, user_id: owner.id });
      titles.push(json['title']);
    }
    expect(titles).toEqual(['Opening hours', 'Rules.md', 'https://docs.example.com/a', 'Hours']);
    const listed = await owner.client.get<Fields[]>(`${path}?status=pending&limit=2&offset=1`);
    expect(listed.json.map(({ source }) => source)).toEqual(['file', 'url']);
    expect(listed.headers.get('x-total-count')).toBe('4');
  });

  test.each([
    [{}],
    [{ text: 'a', file_id: '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21' }],
    [{ text: ' ' }],
    [{ url: 'ftp://example.com' }],
  ])('is refused when it is %j', async (document) => {
    expect((await owner.client.post(documentsOf(await createBase()), document)).status).toBe(422);
  });

  test('is made of a file only by who may read it', async () => {
    const colleague = await registerColleague(served.api, owner, 'admin');
    const fileId = await uploadFile(owner.client, await createChat(owner.client), { content: 'mine' });
    const answer = await colleague.client.post(documentsOf(await createBase()), { file_id: fileId });
    expect(answer).toMatchObject({ status: 404, json: { detail: 'File not found' } });
  });

  test('is there once, unless it has failed, and makes room when it is deleted', async () => {
    const baseId = await createBase();
    const add = async () => owner.client.post<{ id: string }>(documentsOf(baseId), { text: 'Tea is at four.' });
    const { id: documentId } = (await add()).json;
    expect(await add()).toMatchObject({
      status: 409,
      json: { detail: 'The knowledge base has this already, as the document "Tea is at four."' },
    });
    const ref = { orgId: owner.orgId, knowledgeBaseId: baseId, documentId };
    await failReading(served.api.database, ref, 'No text');
    expect((await owner.client.get<Fields>(`${documentsOf(baseId)}/${documentId}`)).json).toMatchObject({
      status: 'failed',
      error: 'No text',
    });
    expect(await baseOf(baseId)).toMatchObject({ documents: 1, bytes: 0 });
    const again = (await add()).json.id;
    for (const id of [documentId, again])
      expect((await owner.client.delete(`${documentsOf(baseId)}/${id}`)).status).toBe(204);
    expect(await baseOf(baseId)).toMatchObject({ documents: 0, passages: 0, bytes: 0 });
  });

  test('is refused when the organization has no room for it', async () => {
    const user = await registerUser(served.url);
    const path = documentsOf(await createBase(user));
    for (const letter of ['a', 'b']) await user.client.post(path, { text: letter.repeat(500_000) });
    const refused = await user.client.post(path, { text: 'c'.repeat(100_000) });
    expect(refused).toMatchObject({ status: 409, json: { detail: expect.stringContaining('1 MB of documents') } });
  });
});

describe('a search', () => {
  test('finds the passage that answers best, with its source and position', async () => {
    const baseId = await createBase();
    const filler = 'The office has rooms, and what is said there stays there. '.repeat(12);
    await addText(baseId, `# Travel\n\n## Trains\n\n${filler}\n\n## Meals\n\nWe refund meals. ${filler}`, {
      title: 'Trips',
    });
    await addText(baseId, `# Tea\n\nWhat is there is tea. ${filler}`, { title: 'Tea' });
    const [first] = await search(baseId, 'What is refunded for meals? When do we refund meals?');
    expect(first).toMatchObject({ document_title: 'Trips', heading: 'Travel > Meals', source: 'text', position: 1 });
    expect(first?.text).toMatch(/^## Meals/);
  });

  test('needs not all words, and takes a word for the beginning of longer ones', async () => {
    const baseId = await createBase();
    await addText(baseId, 'Refunds are paid on Fridays.', { title: 'Refunds' });
    await addText(baseId, 'Übergrößen sind im Lager.', { title: 'Sizes' });
    await addText(baseId, '退款在星期五支付。', { title: 'Chinese' });
    expect(await titlesOf(baseId, 'refund zebra')).toEqual(['Refunds']);
    expect(await titlesOf(baseId, 'ubergrosse')).toEqual(['Sizes']);
    expect(await titlesOf(baseId, '星期五')).toEqual(['Chinese']);
    expect(await titlesOf(baseId, '"paid on fridays"')).toEqual(['Refunds']);
    expect(await titlesOf(baseId, 'zebra')).toEqual([]);
    expect(await titlesOf(baseId, '???')).toEqual([]);
  });

  test('finds nothing of other bases and organizations, and nothing that was deleted', async () => {
    const [baseId, other] = [await createBase(), await createBase()];
    const { documentId } = await addText(baseId, 'The plum is ours.');
    await addText(other, 'The plum is theirs.');
    const stranger = await registerUser(served.url);
    const foreign = await createBase(stranger);
    await addText(foreign, 'The plum is of strangers.', { user: stranger });
    expect(await titlesOf(baseId, 'plum')).toEqual(['The plum is ours.']);
    expect((await search(foreign, 'plum', stranger)).length).toBe(1);
    await owner.client.delete(`${documentsOf(baseId)}/${documentId}`);
    expect(await titlesOf(baseId, 'plum')).toEqual([]);
  });

  test('finds a rare word among many common ones, by the index', async () => {
    const user = await registerUser(served.url);
    const baseId = await createBase(user);
    const sections = Array.from({ length: 1_500 }, (_, at) => `## Part ${at}\n\n${'The tea is hot. '.repeat(14)}`);
    sections[1_234] = `## Odd\n\nThe zebra is hot. ${'The tea is hot. '.repeat(14)}`;
    const text = sections.join('\n\n');
    await addText(baseId, text, { user });
    const results = await search(baseId, 'is the zebra hot', user);
    expect(results[0]).toMatchObject({ heading: 'Odd', position: 1_234 });
    const { database } = served.api;
    const [, plan] = await database.tenant.series<{ text: string; values: unknown[] }[]>(user.orgId, [
      { text: "select from set_config('app.search', $1, false)", values: [`'nothing'`] },
      { text: 'explain select * from knowledge_words where org_id = $1', values: [user.orgId] },
      { text: "select from set_config('app.search', '', false)", values: [] },
    ]);
    expect(JSON.stringify(plan)).toContain('knowledge_words_words');
  });
});
