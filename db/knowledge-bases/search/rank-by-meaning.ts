import { cosines, unitVector } from '../../../domain/embeddings.ts';
import type { TenantDatabase } from '../../core/database.ts';
import type { QueryVector } from './queries.ts';
import type { RankedPassage } from './rank-by-words.ts';

/** The vectors of knowledge bases that a search compares. */
export interface SearchedVectors {
  readonly knowledgeBaseId: string;
  /** The name of the model that they are of; null when there are none. */
  readonly model: string | null;
  readonly version: number;
  readonly dimensions: number | null;
  /** How many passages the base has, and how many of them have a vector. */
  readonly passages: number;
  readonly embedded: number;
  /** Why passages get no vectors: nobody wants them, or something is wrong. */
  readonly isOff: boolean;
  readonly error: string | null;
}

/** The passages that a search compares at most, the newest documents first. */
export const MAX_COMPARED = 20_000;
/** The passages of each model that are ranked. */
const MAX_RANKED = 100;
const PAGE = 1_000;
const MAX_SEARCH_MS = 2_000;

/** Returns the vectors that a search by meaning would compare in knowledge bases. */
export async function listSearchedVectors(
  { tenant }: TenantDatabase,
  orgId: string,
  baseIds: readonly string[],
): Promise<readonly SearchedVectors[]> {
  return tenant.query<SearchedVectors>(orgId, {
    name: 'list-searched-vectors',
    text: `select id as "knowledgeBaseId", model_in_use as model, vector_version as version, dimensions, passages,
        embedded_passages as embedded, embedding_model = 'off' as "isOff", embedding_error as error
      from knowledge_bases where id = any($1::uuid[]) order by id`,
    values: [baseIds],
  });
}

/** Passages by how close they are to a query, the closest first: a list for each model. */
export interface RankedByMeaning {
  readonly lists: readonly (readonly RankedPassage[])[];
  /** How many passages were compared, and whether these were all that there are. */
  readonly compared: number;
  readonly isWhole: boolean;
}

interface MeaningSearch {
  readonly bases: readonly SearchedVectors[];
  readonly vectors: readonly Extract<QueryVector, { readonly vector: unknown }>[];
  readonly tags: readonly string[];
}

/** Compares a query with passages one by one, at most `MAX_COMPARED` and for two seconds at most. */
export async function rankByMeaning(
  database: TenantDatabase,
  orgId: string,
  { bases, vectors, tags }: MeaningSearch,
): Promise<RankedByMeaning> {
  const deadline = performance.now() + MAX_SEARCH_MS;
  const lists: (readonly RankedPassage[])[] = [];
  let compared = 0;
  const isOver = () => compared >= MAX_COMPARED || performance.now() > deadline;
  for (const { model, vector } of vectors) {
    const unit = unitVector(vector);
    let closest: readonly RankedPassage[] = [];
    for (const base of bases.filter((each) => each.model === model && each.dimensions === vector.length)) {
      if (isOver()) break;
      for await (const page of pagesOf(database, orgId, { base, tags })) {
        compared += page.seqs.length;
        closest = closestOf([...closest, ...compare(unit, page)]);
        if (isOver()) break;
      }
    }
    lists.push(closest);
  }
  return { lists, compared, isWhole: !isOver() };
}

/** The vectors of passages, one after the other. */
interface VectorPage {
  readonly documentIds: readonly string[];
  readonly seqs: readonly number[];
  readonly lengths: readonly number[];
  readonly packed: Buffer | null;
}

/** Adjacent passages of a document: from a position, up to before another. */
interface Stretch {
  readonly documentId: string;
  readonly from: number;
  readonly to: number;
}

// By documents and not by the order of all passages, which PostgreSQL would sort again for each page.
async function* pagesOf(
  { tenant }: TenantDatabase,
  orgId: string,
  { base, tags }: { readonly base: SearchedVectors; readonly tags: readonly string[] },
): AsyncGenerator<VectorPage> {
  const documents = await tenant.query<{ readonly id: string; readonly passages: number }>(orgId, {
    name: 'list-searched-documents',
    text: `select id, passages from knowledge_documents
      where knowledge_base_id = $1 and passages > 0 and ($2::jsonb = '[]' or tags @> $2::jsonb) order by id desc`,
    values: [base.knowledgeBaseId, JSON.stringify(tags)],
  });
  for (const stretches of inPages(documents)) {
    const [page] = await tenant.query<VectorPage>(orgId, {
      name: 'read-vectors',
      text: READ,
      values: [
        stretches.map(({ documentId }) => documentId),
        stretches.map(({ from }) => from),
        stretches.map(({ to }) => to),
        base.version,
      ],
    });
    if (page !== undefined) yield page;
  }
}

/** Divides the passages of documents into pages of at most `PAGE`. */
function* inPages(documents: readonly { readonly id: string; readonly passages: number }[]): Generator<Stretch[]> {
  let [page, room]: [Stretch[], number] = [[], PAGE];
  for (const { id: documentId, passages } of documents) {
    for (let from = 0; from < passages;) {
      const to = Math.min(passages, from + room);
      page.push({ documentId, from, to });
      room -= to - from;
      from = to;
      if (room > 0) continue;
      yield page;
      [page, room] = [[], PAGE];
    }
  }
  if (page.length > 0) yield page;
}

// In one row: a thousand of them take several times as long to send and to read.
const READ = `select coalesce(array_agg(v.document_id::text), '{}') as "documentIds", coalesce(array_agg(v.seq), '{}') as seqs,
    coalesce(array_agg(v.length), '{}') as lengths, string_agg(v.vector, ''::bytea) as packed
  from unnest($1::uuid[], $2::int[], $3::int[]) as stretch (document_id, from_seq, to_seq)
    join knowledge_vectors v on v.document_id = stretch.document_id and v.seq >= from_seq and v.seq < to_seq
  where v.version = $4 and v.vector is not null`;

function compare(unit: Float64Array, { documentIds, seqs, lengths, packed }: VectorPage): RankedPassage[] {
  if (packed === null) return [];
  const scores = cosines(unit, new Int8Array(packed.buffer, packed.byteOffset, packed.length), lengths);
  return scores.map((score, at) => ({ documentId: documentIds[at] ?? '', seq: seqs[at] ?? 0, score }));
}

function closestOf(passages: readonly RankedPassage[]): readonly RankedPassage[] {
  return passages
    .toSorted((a, b) => b.score - a.score || a.documentId.localeCompare(b.documentId) || a.seq - b.seq)
    .slice(0, MAX_RANKED);
}
