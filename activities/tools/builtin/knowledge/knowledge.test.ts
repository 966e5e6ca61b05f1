import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { beginReading } from '../../../../db/knowledge-bases/documents.ts';
import { beginVectors, storeVectors } from '../../../../db/knowledge-bases/embedding.ts';
import { storePassages } from '../../../../db/knowledge-bases/store-passages.ts';
import type { DueWork } from '../../../../domain/core/due-work.ts';
import { packVector } from '../../../../domain/embeddings.ts';
import { parseOrgLimits } from '../../../../domain/orgs.ts';
import { EmbeddingServer, readEmbedding, vectorOf } from '../../../../test/support/embedding-server.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../../../../test/support/factories.ts';
import { json } from '../../../../test/support/outside-server.ts';
import { serveTestApi } from '../../../../test/support/serve-test-api.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { knowledgeAdd, knowledgeSearch } from './knowledge.ts';

type Fields = Readonly<Record<string, unknown>>;

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
let tools: TestTools;
let owner: TestUser;
let handbook: string;
let prices: string;
beforeAll(async () => {
  owner = await registerUser(served.url);
  tools = await createTestTools({ database: served.api.database });
  handbook = await createBase('Handbook');
  prices = await createBase('Prices');
  await addText(handbook, 'Tea is at four.', ['meals']);
  await addText(prices, 'Tea costs four euros.');
});
afterAll(() => tools.close());

async function createBase(name: string, user = owner): Promise<string> {
  return (await user.client.post<{ id: string }>('/api/knowledge-bases', { name })).json.id;
}

async function addText(baseId: string, text: string, tags: readonly string[] = []): Promise<void> {
  const { json } = await owner.client.post<{ id: string }>(`/api/knowledge-bases/${baseId}/documents`, { text, tags });
  await finish({ orgId: owner.orgId, knowledgeBaseId: baseId, documentId: json.id });
}

/** Has a document read as a worker does. */
async function finish(ref: { orgId: string; knowledgeBaseId: string; documentId: string }): Promise<void> {
  const document = await beginReading(served.api.database, ref);
  await storePassages(served.api.database, ref, document?.text ?? '', parseOrgLimits(''));
}

const documentsOf = async (baseId: string) =>
  (await owner.client.get<Fields[]>(`/api/knowledge-bases/${baseId}/documents`)).json;

/** Creates an agent, and returns the context in which it calls tools. */
async function contextOf(fields: Fields = {}, user = owner) {
  const agentId = await createAgent(user.client, fields);
  const scope = { orgId: user.orgId, userId: user.id, agentId };
  return { ...tools.context, knowledge: tools.knowledgeOf(scope), idempotencyKey: uuidv7() };
}

type Context = Awaited<ReturnType<typeof contextOf>>;
async function search(args: ToolArguments, context: Context) {
  const { value, isForeign } = await prepareCall(knowledgeSearch, args).run(context);
  return { isForeign, ...(value as { results: Fields[]; searched: Fields[] }) };
}

describe('knowledge_search', () => {
  test('finds passages of all bases with their sources, as text from outside', async () => {
    const { results, isForeign, searched } = await search({ query: 'tea four' }, await contextOf());
    const found = results.map(({ text, knowledge_base: base }) => `${String(base)}: ${String(text)}`);
    expect(found.toSorted()).toEqual(['Handbook: Tea is at four.', 'Prices: Tea costs four euros.']);
    expect(results[0]).toMatchObject({ document_id: expect.any(String), position: 0 });
    expect(searched.map(({ name }) => name)).toEqual(['Handbook', 'Prices']);
    expect(isForeign).toBe(true);
  });

  test('is narrowed by bases, by id or name, by tags and by number', async () => {
    const context = await contextOf();
    const textsOf = async (args: ToolArguments) =>
      (await search({ query: 'tea', ...args }, context)).results.map(({ text }) => text);
    expect(await textsOf({ knowledge_base_ids: ['prices'] })).toEqual(['Tea costs four euros.']);
    expect(await textsOf({ knowledge_base_ids: [handbook] })).toEqual(['Tea is at four.']);
    expect(await textsOf({ filters: { tags: ['meals'] } })).toEqual(['Tea is at four.']);
    expect(await textsOf({ top_k: 1 })).toHaveLength(1);
  });

  test('searches only the bases that were chosen for the agent', async () => {
    const context = await contextOf({ knowledge_base_ids: [prices] });
    expect((await search({ query: 'tea' }, context)).results.map(({ text }) => text)).toEqual([
      'Tea costs four euros.',
    ]);
    await expect(search({ query: 'tea', knowledge_base_ids: [handbook] }, context)).rejects.toMatchObject({
      kind: 'not_found',
      message: `You have no knowledge base "${handbook}". Yours are: Prices (${prices})`,
    });
    expect((await search({ query: 'tea' }, await contextOf({ knowledge_base_ids: [] }))).results).toEqual([]);
  });

  test('finds nothing of other organizations', async () => {
    const stranger = await registerUser(served.url);
    const context = await contextOf({}, stranger);
    expect(await search({ query: 'tea' }, context)).toMatchObject({ results: [], searched: [] });
    await expect(search({ query: 'tea', knowledge_base_ids: [handbook] }, context)).rejects.toThrow('none');
  });
});

describe('knowledge_add', () => {
  const add = async (args: ToolArguments, context: Context) =>
    (await prepareCall(knowledgeAdd, args).run(context)).value as Fields;

  test('adds a text once, however often the call is repeated, and has it read', async () => {
    const baseId = await createBase('Notes');
    const context = await contextOf();
    const due: DueWork[] = [];
    served.api.database.onDueWork((work) => due.push(work));
    const args = { knowledge_base_id: 'notes', text: '# Lunch\n\nLunch is at noon.', tags: ['meals'] };
    const added = await add(args, context);
    expect(added).toMatchObject({ title: 'Lunch', status: 'pending', knowledge_base_id: baseId });
    expect(await add(args, context)).toEqual(added);
    expect(await documentsOf(baseId)).toMatchObject([{ id: added['document_id'], user_id: owner.id, tags: ['meals'] }]);
    const ref = { orgId: owner.orgId, knowledgeBaseId: baseId, documentId: String(added['document_id']) };
    expect(due).toContainEqual({ kind: 'document', ...ref });
    await finish(ref);
    expect((await search({ query: 'when is lunch' }, context)).results[0]).toMatchObject({ document: 'Lunch' });
    await expect(add(args, { ...context, idempotencyKey: uuidv7() })).rejects.toMatchObject({
      kind: 'invalid_input',
      message: expect.stringContaining('has this already'),
    });
  });

  test('adds a text file of the workspace, and a page', async () => {
    const baseId = await createBase('Files');
    const context = await contextOf();
    const write = { overwrite: true, createFolders: true, isForeign: false };
    await tools.context.workspace.write(filePath('notes/a.md'), Buffer.from('Plums are ripe.'), write);
    await tools.context.workspace.write(filePath('b.bin'), Buffer.from([0, 1]), write);
    await add({ knowledge_base_id: baseId, file: 'notes/a.md' }, context);
    const page = { knowledge_base_id: baseId, url: 'https://docs.example.com/', title: 'Docs' };
    await add(page, { ...context, idempotencyKey: uuidv7() });
    expect(await documentsOf(baseId)).toMatchObject([
      { title: 'notes/a.md', source: 'text' },
      { title: 'Docs', source: 'url', url: 'https://docs.example.com/' },
    ]);
    await expect(add({ knowledge_base_id: baseId, file: 'b.bin' }, context)).rejects.toThrow('not text');
  });

  test('says beside a document, and not in it, that the encoding of its file is uncertain', async () => {
    const baseId = await createBase('Letters');
    const context = await contextOf({ knowledge_base_ids: [baseId] });
    const write = { overwrite: true, createFolders: true, isForeign: false };
    await tools.context.workspace.write(filePath('letter.txt'), Buffer.from('Viele Grüße', 'latin1'), write);
    const args = { knowledge_base_id: baseId, file: 'letter.txt' };
    const { value, notice } = await prepareCall(knowledgeAdd, args).run(context);
    expect(notice).toContain('windows-1252');
    const documentId = String((value as Fields)['document_id']);
    await finish({ orgId: owner.orgId, knowledgeBaseId: baseId, documentId });
    expect((await search({ query: 'Grüße' }, context)).results).toMatchObject([{ text: 'Viele Grüße' }]);
  });

  test.each([
    [{}, 'Give a text'],
    [{ text: 'a', file: 'b' }, 'not both'],
    [{ text: '  ' }, 'no text'],
    [{ text: 'a', knowledge_base_id: 'Nowhere' }, 'You have no knowledge base "Nowhere"'],
  ])('says what is wrong with %j', async (args, words) => {
    const context = await contextOf();
    await expect(add({ knowledge_base_id: handbook, ...args }, context)).rejects.toThrow(words);
  });

  test('takes no base that was not chosen for the agent', async () => {
    const context = await contextOf({ knowledge_base_ids: [prices] });
    await expect(add({ knowledge_base_id: handbook, text: 'a' }, context)).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('the knowledge bases of an agent', () => {
  test('are shown, changed, and gone from it when they are deleted', async () => {
    const baseId = await createBase('Gone');
    const agentId = await createAgent(owner.client, { knowledge_base_ids: [baseId, prices] });
    const path = `/api/agents/${agentId}`;
    const chosen = async () => (await owner.client.get<Fields>(path)).json['knowledge_base_ids'];
    expect(await chosen()).toEqual([baseId, prices]);
    await owner.client.patch(path, { knowledge_base_ids: [baseId] });
    expect((await owner.client.delete(`/api/knowledge-bases/${baseId}`)).status).toBe(204);
    expect(await chosen()).toEqual([]);
    expect((await owner.client.patch(path, { knowledge_base_ids: [baseId] })).status).toBe(404);
    await owner.client.patch(path, { knowledge_base_ids: null });
    expect(await chosen()).toBe(null);
  });
});

describe('knowledge_search by meaning', () => {
  let server: EmbeddingServer;
  let own: TestTools;
  let user: TestUser;
  const VERSION = 2;
  beforeAll(async () => {
    server = await EmbeddingServer.start();
    own = await createTestTools({ database: served.api.database, privateHosts: `127.0.0.1:${server.port}` });
    user = await registerUser(served.url);
    await createProvider(user.client, server.url);
  });
  afterAll(async () => {
    await own.close();
    server.close();
  });

  /** Adds a base with one passage for each text, and their vectors of a model as a worker stores them. */
  async function fill(name: string, model: string, texts: readonly string[]): Promise<void> {
    const { json } = await user.client.post<{ id: string }>('/api/knowledge-bases', { name, embedding_model: model });
    const base = { orgId: user.orgId, knowledgeBaseId: json.id };
    const { database } = served.api;
    await beginVectors(database, { ...base, choice: model, version: VERSION - 1 }, model);
    for (const text of texts) {
      const path = `/api/knowledge-bases/${json.id}/documents`;
      const { id: documentId } = (await user.client.post<{ id: string }>(path, { text })).json;
      await finish({ ...base, documentId });
      const vectors = [{ documentId, seq: 0, packed: packVector(vectorOf(text)) }];
      await storeVectors(database, { ...base, version: VERSION }, { vectors, tokens: 0, cost: null });
    }
  }

  async function find(args: ToolArguments) {
    const agentId = await createAgent(user.client);
    const scope = { orgId: user.orgId, userId: user.id, agentId };
    const context = { ...own.context, knowledge: own.knowledgeOf(scope), idempotencyKey: uuidv7() };
    const { value } = await prepareCall(knowledgeSearch, args).run(context);
    return value as { results: Fields[]; searched_by: string[]; not_all_by_meaning?: string };
  }

  test('asks the model of each base once, and merges what all of them find', async () => {
    await fill('Travel', 'openai-compatible/small', ['A lunch is reimbursed.', 'Tea is at four.']);
    await fill('Money', 'openai-compatible/large', ['Dinner is repaid.', 'Gold is heavy.']);
    const {
      results,
      searched_by: searchedBy,
      not_all_by_meaning: reason,
    } = await find({ query: 'meal refund', top_k: 2 });
    expect(new Set(results.map(({ text }) => text))).toEqual(new Set(['A lunch is reimbursed.', 'Dinner is repaid.']));
    expect([searchedBy, reason]).toEqual([['words', 'meaning'], undefined]);
    const asked = server.outside.seen.map((request) => readEmbedding(request));
    const wanted = ['small', 'large'].map((model) => ({ model, input: ['meal refund'], encoding_format: 'float' }));
    expect(asked).toHaveLength(2);
    expect(asked).toEqual(expect.arrayContaining(wanted));
  });

  test('says why when it has found by words alone', async () => {
    server.behave(json({ error: { message: 'out of order' } }, 500));
    expect(await find({ query: 'gold' })).toMatchObject({
      results: [{ text: 'Gold is heavy.' }],
      searched_by: ['words'],
      not_all_by_meaning: expect.stringContaining('out of order'),
    });
  });
});
