import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { embed, EmbeddingServer, readEmbedding } from '../support/embedding-server.ts';
import { createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { json } from '../support/outside-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Base {
  readonly id: string;
  readonly passages: number;
  readonly embedding_model: string;
  readonly embedding: {
    readonly status: string;
    readonly model: string | null;
    readonly dimensions: number | null;
    readonly passages: number;
    readonly tokens: number;
    readonly cost: number | null;
    readonly error: string | null;
  };
}

const MODEL = 'openai-compatible/small';

let instance: TestInstance;
let server: EmbeddingServer;
let user: TestUser;
let key: string;
beforeAll(async () => {
  server = await EmbeddingServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  server.close();
});
beforeEach(async () => {
  server.behave();
  key = `sk-${randomUUID()}`;
  user = await registerUser(instance.api.url);
});

const connect = async (fields: object = {}) =>
  createProvider(user.client, server.url, { credentials: { api_key: key }, ...fields });

/** The calls with the key of the test: knowledge bases of those before it may still be given vectors. */
const calls = () => server.outside.seen.filter(({ headers }) => headers.authorization === `Bearer ${key}`);
const texts = () => calls().flatMap((request) => readEmbedding(request).input);

async function createBase(fields: object = { embedding_model: MODEL }): Promise<string> {
  return (await user.client.post<Base>('/api/knowledge-bases', { name: 'Handbook', ...fields })).json.id;
}

const add = async (id: string, text: string) =>
  (await user.client.post<{ id: string }>(`/api/knowledge-bases/${id}/documents`, { text })).json.id;
const read = async (id: string) => (await user.client.get<Base>(`/api/knowledge-bases/${id}`)).json;

async function until(id: string, isMet: (base: Base) => boolean): Promise<Base> {
  return waitUntil('the knowledge base to stand so', async () => {
    const base = await read(id);
    return isMet(base) ? base : undefined;
  });
}

const isReady = ({ passages, embedding }: Base) => embedding.status === 'ready' && passages > 0;

/** A text of so many passages. */
const sections = (count: number, word = 'tea') =>
  Array.from({ length: count }, (_, at) => `## Part ${at} of ${word}\n\n${`The ${word} is hot. `.repeat(70)}`).join(
    '\n\n',
  );

describe('the passages of a knowledge base', () => {
  test('get vectors of the model that was chosen, each once, and what they cost is counted', async () => {
    await connect();
    const id = await createBase();
    expect(await read(id)).toMatchObject({ embedding_model: MODEL, embedding: { status: 'ready', model: null } });
    await add(id, '# Expenses\n\nMeals are refunded.');
    const { embedding } = await until(id, isReady);
    expect(embedding).toEqual({
      status: 'ready',
      model: MODEL,
      dimensions: 64,
      passages: 1,
      tokens: expect.any(Number),
      cost: null,
      error: null,
    });
    expect(embedding.tokens).toBeGreaterThan(10);
    const documentId = await add(id, sections(80));
    await until(id, (base) => isReady(base) && base.passages > 80);
    expect(new Set(texts()).size).toBe(texts().length);
    await user.client.delete(`/api/knowledge-bases/${id}/documents/${documentId}`);
    expect(await read(id)).toMatchObject({ passages: 1, embedding: { passages: 1, status: 'ready' } });
  });

  test('get vectors of the first model that the shared accounts offer, at a known price', async () => {
    const id = await createBase({});
    await add(id, 'Tea is at four.');
    const waiting = await until(id, ({ embedding }) => embedding.status === 'waiting');
    expect(waiting).toMatchObject({
      embedding_model: 'auto',
      embedding: { error: expect.stringMatching(/Add one, or name a model .*in the settings of the knowledge base/) },
    });
    // It is tried at once when there is an account.
    await connect();
    await connect({ provider_type: 'openai', model_name: null });
    const { embedding } = await until(id, isReady);
    expect(embedding).toMatchObject({ model: 'openai/text-embedding-3-small', passages: 1 });
    expect(embedding.cost).toBeCloseTo((embedding.tokens * 0.02) / 1e6, 12);
  });

  test('get none when words alone are wanted, and lose those that they have', async () => {
    await connect();
    const id = await createBase();
    await add(id, 'Tea is at four.');
    await until(id, isReady);
    await user.client.patch(`/api/knowledge-bases/${id}`, { embedding_model: 'off' });
    await until(id, ({ embedding }) => embedding.status === 'off' && embedding.model === null);
    await waitUntil('the vectors to be gone', async () => {
      const { rows } = await instance.api.database.system.query<{ count: number }>(
        'select count(*)::int as count from knowledge_vectors where knowledge_base_id = $1',
        [id],
      );
      return rows[0]?.count === 0 || undefined;
    });
    const before = texts().length;
    const documentId = await add(id, 'Coffee is at three.');
    await waitUntil('the document to be read', async () => {
      const path = `/api/knowledge-bases/${id}/documents/${documentId}`;
      return (await user.client.get<{ status: string }>(path)).json.status === 'ready' || undefined;
    });
    expect(await read(id)).toMatchObject({ passages: 2, embedding: { status: 'off', passages: 0 } });
    expect(texts()).toHaveLength(before);
  });

  test('get other vectors when another model is chosen', async () => {
    await connect();
    const id = await createBase();
    await add(id, sections(40));
    const first = await until(id, isReady);
    server.behave(embed(32));
    await user.client.patch(`/api/knowledge-bases/${id}`, { embedding_model: 'openai-compatible/large' });
    const { embedding } = await until(id, (base) => isReady(base) && base.embedding.model?.endsWith('large') === true);
    expect(embedding).toMatchObject({ dimensions: 32, passages: first.passages, status: 'ready' });
    expect(new Set(calls().map((request) => readEmbedding(request).model))).toEqual(new Set(['small', 'large']));
  });
});

describe('a provider that gives no vectors', () => {
  test('is waited for while it is too busy, and said so', async () => {
    await connect({ cooldown_seconds: 2 });
    server.behave(json({ error: { message: 'slow down' } }, 429));
    const id = await createBase();
    await add(id, 'Tea is at four.');
    const { embedding } = await until(id, (base) => base.embedding.status === 'waiting');
    expect(embedding.error).toContain('rate limit');
    // It is asked again whenever its rest of two seconds is over, and rests again.
    await waitUntil('its account to rest', async () => {
      const { json: accounts } = await user.client.get<{ status: string }[]>('/api/providers');
      return accounts[0]?.status === 'cooling_down' || undefined;
    });
    server.behave();
    expect(await until(id, isReady)).toMatchObject({ embedding: { error: null, passages: 1 } });
  });

  test('is disabled when it rejects the key, and the next account is asked', async () => {
    const first = await connect({ credentials: { api_key: 'sk-bad-1234567890' } });
    await connect();
    server.behave((response, request) => {
      const isBad = String(request.headers.authorization).includes('sk-bad');
      (isBad ? json({ error: { message: 'bad key' } }, 401) : embed())(response, request);
    });
    const id = await createBase();
    await add(id, 'Tea is at four.');
    await until(id, isReady);
    const { json: account } = await user.client.get<{ status: string }>(`/api/providers/${first}`);
    expect(account.status).toBe('disabled');
  });

  test('is not asked for the organization when it serves one member only', async () => {
    await connect({ shared: false });
    const id = await createBase();
    await add(id, 'Tea is at four.');
    const { embedding } = await until(id, (base) => base.embedding.status === 'waiting');
    expect(embedding.error).toContain('no shared account of the type "openai-compatible"');
    expect(calls()).toEqual([]);
  });

  test('keeps no other passage from a vector when it does not take one', async () => {
    await connect();
    server.behave((response, request) => {
      const isTaken = readEmbedding(request).input.every((text) => !text.includes('poison'));
      (isTaken ? embed() : json({ error: { message: 'input was flagged' } }, 400))(response, request);
    });
    const id = await createBase();
    await add(id, `${sections(20)}\n\n${sections(1, 'poison')}\n\n${sections(20, 'coffee')}`);
    const { passages, embedding } = await until(id, isReady);
    expect(embedding.passages).toBe(passages);
    const { rows } = await instance.api.database.system.query<{ count: number }>(
      'select count(*)::int as count from knowledge_vectors where knowledge_base_id = $1 and vector is null',
      [id],
    );
    expect(rows[0]?.count).toBeLessThanOrEqual(2);
  });

  test('is told of when its vectors have other dimensions than before', async () => {
    await connect();
    const id = await createBase();
    await add(id, 'Tea is at four.');
    await until(id, isReady);
    server.behave(embed(32));
    await add(id, 'Coffee is at three.');
    const { embedding } = await until(id, (base) => base.embedding.status === 'waiting');
    expect(embedding).toMatchObject({
      passages: 1,
      dimensions: 64,
      error: expect.stringContaining('had 64 dimensions'),
    });
  });
});

interface Found {
  readonly results: readonly { readonly text: string; readonly document_title: string; readonly found_by: string[] }[];
  readonly searched_by: readonly string[];
  readonly meaning: {
    readonly search: string;
    readonly compared: number;
    readonly passages: number;
    readonly reason: string | null;
  };
}

describe('a search', () => {
  const searchOnce = async (id: string, q: string) =>
    (await user.client.get<Found>(`/api/knowledge-bases/${id}/search?q=${encodeURIComponent(q)}`)).json;

  /** Searches until the provider is waited for long enough: on a busy machine its vector may come too late. */
  const search = async (id: string, q: string) =>
    waitUntil('an answer in time', async () => {
      const found = await searchOnce(id, q);
      return found.meaning.reason?.includes('within 5 seconds') === true ? undefined : found;
    });

  async function fill(fields?: object): Promise<string> {
    const id = await createBase(fields);
    for (const text of ['A lunch is reimbursed.', 'The car stands in the yard.', 'Tea is at four.'])
      await add(id, text);
    await until(id, ({ passages, embedding }) => passages === 3 && ['ready', 'off'].includes(embedding.status));
    return id;
  }

  test('finds by meaning what no word finds, and puts first what both find', async () => {
    await connect();
    const id = await fill();
    const before = (await read(id)).embedding.tokens;
    const found = await search(id, 'meal refund');
    expect(found.results[0]).toMatchObject({ text: 'A lunch is reimbursed.', found_by: ['meaning'] });
    expect(found).toMatchObject({
      searched_by: ['words', 'meaning'],
      meaning: { search: 'exact', compared: 3, passages: 3, reason: null },
    });
    const both = await search(id, 'automobile yard');
    expect(both.results[0]).toMatchObject({ text: 'The car stands in the yard.', found_by: ['words', 'meaning'] });
    expect((await read(id)).embedding.tokens).toBeGreaterThan(before);
    const { rows } = await instance.api.database.system.query('select from knowledge_queries where org_id = $1', [
      user.orgId,
    ]);
    expect(rows).toEqual([]);
  });

  test('finds by words, and says why, when no provider gives a vector', async () => {
    await connect({ cooldown_seconds: 0 });
    const id = await fill();
    server.behave(json({ error: { message: 'out of order' } }, 500));
    expect(await search(id, 'car')).toMatchObject({
      results: [{ text: 'The car stands in the yard.', found_by: ['words'] }],
      searched_by: ['words'],
      meaning: { search: 'off', compared: 0, passages: 3, reason: expect.stringContaining('out of order') },
    });
    server.behave(() => undefined);
    const { results, meaning } = await searchOnce(id, 'tea');
    expect(results).toHaveLength(1);
    expect(meaning.reason).toContain('within 5 seconds');
    server.behave(embed(32));
    expect((await search(id, 'tea')).meaning).toMatchObject({
      search: 'off',
      reason: expect.stringContaining('dimensions'),
    });
    server.behave();
    expect((await search(id, 'meal')).meaning).toMatchObject({ search: 'exact', reason: null });
  });

  test('asks nobody when words alone are wanted', async () => {
    await connect();
    const id = await fill({ embedding_model: 'off' });
    expect(await search(id, 'car')).toMatchObject({
      results: [{ found_by: ['words'] }],
      searched_by: ['words'],
      meaning: { search: 'off', compared: 0, reason: expect.stringContaining('embedding_model is off') },
    });
    expect(calls()).toEqual([]);
  });

  test('finds nothing of other organizations by meaning', async () => {
    await connect();
    await fill();
    user = await registerUser(instance.api.url);
    await connect();
    const id = await createBase();
    await add(id, 'Tea is at five.');
    await until(id, isReady);
    const { results, meaning } = await search(id, 'meal refund tea');
    expect(results.map(({ text }) => text)).toEqual(['Tea is at five.']);
    expect(meaning).toMatchObject({ compared: 1, passages: 1 });
  });
});

test.each(['small', 'anthropic/small', 'nonsense/small', 'openai/', ''])(
  'an embedding model "%s" is refused',
  async (name) => {
    const answer = await user.client.post('/api/knowledge-bases', { name: 'Handbook', embedding_model: name });
    expect(answer.status).toBe(422);
  },
);
