import { embed, EmbeddingServer } from '../../../test/support/embedding-server.ts';
import { createProvider, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { quantile } from '../../figures/statistics.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

/** As many as a common model gives. */
const DIMENSIONS = 1_536;
/** Words of a document, which becomes some 115 passages, and how many different ones there are. */
const WORDS = 40_000;
const VOCABULARY = 20_000;
const PASSAGES_OF_DOCUMENT = 115;
const LIMIT_MS = 900_000;

interface Base {
  readonly passages: number;
  readonly embedding: { readonly passages: number };
}

interface Found {
  readonly meaning: { readonly compared: number };
}

const wordOf = () => `w${Math.floor(VOCABULARY ** Math.random())}`;
const textOf = (words: number) => Array.from({ length: words }, wordOf).join(' ');

/**
 * Measures and prints how long searches of a knowledge base take by words alone and by meaning, and how fast its
 * passages are stored and get vectors from a provider that answers at once.
 */
export async function measureKnowledge({ instance, options, undo }: Bench): Promise<SectionResult> {
  const server = await EmbeddingServer.start();
  undo.add(() => server.close());
  server.behave(embed(DIMENSIONS));
  const user = await registerUser(instance.apiUrl);
  await createProvider(user.client, server.url);
  const fields = { name: 'Measured', embedding_model: 'off' };
  const { json } = await user.client.post<{ id: string }>('/api/knowledge-bases', fields);
  const path = `/api/knowledge-bases/${json.id}`;
  const [passages, storing] = await timed(async () => fill(user, path, options.knowledgePassages));
  const byWords = await search(user, path, options.comparedTurns);
  await user.client.patch(path, { embedding_model: 'openai-compatible/measured' });
  const [, embedding] = await timed(async () => until(user, path, (base) => base.embedding.passages === passages));
  const byMeaning = await search(user, path, options.comparedTurns);
  const count = passages.toLocaleString('en');
  printHeading(`Searches of ${count} passages, one at a time, ${options.comparedTurns} of each kind: p50 / p95 (ms)`);
  printRows([
    ['by words', `${figure(quantile(byWords.times, 0.5))} / ${figure(quantile(byWords.times, 0.95))}`],
    [
      `and by meaning, ${DIMENSIONS} dimensions`,
      `${figure(quantile(byMeaning.times, 0.5))} / ${figure(quantile(byMeaning.times, 0.95))}`,
    ],
    ['passages compared, at least', byMeaning.compared.toLocaleString('en')],
    ['passages stored a second', figure(passages / storing, 0)],
    ['passages given vectors a second', figure(passages / embedding, 0)],
  ]);
  const measured = quantile(byMeaning.times, 0.5);
  return {
    targets: [{ name: `a search by meaning in ${count} passages, p50`, measured, better: 'less', unit: 'ms' }],
  };
}

async function timed<T>(work: () => Promise<T>): Promise<[result: T, seconds: number]> {
  const startedAt = performance.now();
  const result = await work();
  return [result, (performance.now() - startedAt) / 1_000];
}

async function fill(user: TestUser, path: string, passages: number): Promise<number> {
  const documents = Math.ceil(passages / PASSAGES_OF_DOCUMENT);
  for (let at = 0; at < documents; at += 1)
    await user.client.post(`${path}/documents`, { text: textOf(WORDS), title: `${at}` });
  const isRead = async () => {
    const { json } = await user.client.get<readonly object[]>(`${path}/documents?status=ready&limit=1000`);
    return json.length === documents || undefined;
  };
  await waitUntil('all documents to be read', isRead, LIMIT_MS);
  return (await user.client.get<Base>(path)).json.passages;
}

async function until(user: TestUser, path: string, isMet: (base: Base) => boolean): Promise<void> {
  await waitUntil(
    'all passages to have vectors',
    async () => isMet((await user.client.get<Base>(path)).json) || undefined,
    LIMIT_MS,
  );
}

interface Searches {
  readonly times: readonly number[];
  /** The fewest passages that one of them has compared: fewer than all on a machine that is busy. */
  readonly compared: number;
}

async function search(user: TestUser, path: string, count: number): Promise<Searches> {
  const times: number[] = [];
  let compared = Infinity;
  for (let at = -3; at < count; at += 1) {
    const startedAt = performance.now();
    const { json, status } = await user.client.get<Found>(`${path}/search?q=${encodeURIComponent(textOf(5))}`);
    if (status !== 200) throw new Error(`a search was answered ${status}`);
    if (at >= 0) times.push(performance.now() - startedAt);
    compared = Math.min(compared, json.meaning.compared);
  }
  return { times, compared };
}
