import { scoreOf, selectiveWords, weightsOf } from '../../../domain/knowledge.ts';
import { parseSearchQuery, type Phrase } from '../../../domain/search.ts';
import type { TenantDatabase } from '../../core/database.ts';
import type { Statement } from '../../core/sql-pool.ts';
import { keyOf, queryFor } from '../../search/search-words.ts';
import { setQuery } from '../../search/search-messages.ts';

/** The words of a search, and its scope. */
export interface PassageSearch {
  readonly query: string;
  readonly baseIds: readonly string[];
  readonly limit: number;
  /** All of which a document must have. */
  readonly tags?: readonly string[] | undefined;
}

/** The passages that are ranked. */
const MAX_RANKED = 100;
/** The number of passages from which the frequency of words is estimated. */
const SAMPLE = 1_000;
/** The most passages that one query of the index returns. */
const MAX_CANDIDATES = 300;
/** The rarest words, which are searched for in pairs. */
const PAIRED = 4;
const MAX_SEARCH_MS = 2_000;
/** The length from which a word also finds longer ones that begin with it. */
const MIN_PREFIX = 4;

/** A passage, and how well it answers compared with the others of its list. */
export interface RankedPassage {
  readonly documentId: string;
  readonly seq: number;
  readonly score: number;
}

interface Candidate {
  readonly documentId: string;
  readonly seq: number;
  /** The rank of each word in it. */
  readonly ranks: readonly number[];
}

/**
 * Ranks the passages of ready documents by words, the best first: those with more and rarer words. A passage need not
 * have all of them. Times out after two seconds.
 */
export async function rankByWords(
  { tenant }: TenantDatabase,
  orgId: string,
  search: PassageSearch,
): Promise<readonly RankedPassage[]> {
  const words = parseSearchQuery(search.query).map((phrase) => queryFor([asPrefix(phrase)], keyOf(orgId)));
  if (words.length === 0 || search.baseIds.length === 0) return [];
  const { total, counts } = await countWords({ tenant }, orgId, { words, baseIds: search.baseIds });
  if (total === 0) return [];
  const queries = queriesFor(selectiveWords(counts, total).map((index) => words[index] ?? ''));
  const find: Statement<Candidate> = {
    name: 'find-passages',
    text: FIND,
    values: [orgId, words, search.baseIds, JSON.stringify(search.tags ?? []), MAX_CANDIDATES],
  };
  const results = await tenant.series<Statement<Partial<Candidate>>[]>(orgId, [
    { name: 'limit-search', text: `set statement_timeout = ${MAX_SEARCH_MS}`, values: [] },
    ...queries.flatMap((query) => [setQuery(query), find]),
    setQuery(''),
    { name: 'end-search', text: 'reset statement_timeout', values: [] },
  ]);
  const found = results.flat().filter((row): row is Candidate => 'documentId' in row);
  return best(found, weightsOf(counts, total));
}

function asPrefix({ words, isPrefix }: Phrase): Phrase {
  const [word = ''] = words;
  return { words, isPrefix: isPrefix || (words.length === 1 && word.length >= MIN_PREFIX) };
}

// The passages of a query are bounded, so passages with several of the words are queried by themselves, first those
// with all of them.
function queriesFor(words: readonly string[]): string[] {
  const rarest = words.slice(0, PAIRED);
  const pairs = rarest.flatMap((word, at) => rarest.slice(at + 1).map((other) => `(${word}&${other})`));
  const together = words.length > 2 ? [words.join('&'), pairs.join('|')] : pairs;
  return [...together, ...words];
}

interface WordCounts {
  readonly total: number;
  readonly counts: readonly number[];
}

async function countWords(
  { tenant }: TenantDatabase,
  orgId: string,
  { words, baseIds }: { readonly words: readonly string[]; readonly baseIds: readonly string[] },
): Promise<WordCounts> {
  const [row] = await tenant.query<WordCounts>(orgId, {
    name: 'count-words',
    text: COUNT,
    values: [words, baseIds, SAMPLE],
  });
  return row ?? { total: 0, counts: [] };
}

// Most bases have fewer passages than the sample: the counts are exact then.
const COUNT = `with sample as (
    select w.words from knowledge_documents d join knowledge_words w on w.document_id = d.id
    where d.knowledge_base_id = any($2::uuid[]) and d.passages > 0 limit $3
  )
  select (select count(*) from sample) as total, array(
    select (select count(*) from sample where sample.words @@ word.query::tsquery)::int
    from unnest($1::text[]) with ordinality as word (query, position) order by word.position
  ) as counts`;

// Only what matches the search is visible.
const FIND = `select w.document_id as "documentId", w.seq, array(
    select ts_rank(w.words, word.query::tsquery) from unnest($2::text[]) with ordinality as word (query, position)
    order by word.position
  ) as ranks
  from knowledge_words w
  where w.org_id = $1 and w.knowledge_base_id = any($3::uuid[]) and ($4::jsonb = '[]' or exists (
    select from knowledge_documents d where d.id = w.document_id and d.tags @> $4::jsonb))
  limit $5`;

function best(found: readonly Candidate[], weights: readonly number[]): readonly RankedPassage[] {
  const byPassage = new Map(found.map((each) => [`${each.documentId} ${each.seq}`, each]));
  return [...byPassage.values()]
    .map(({ documentId, seq, ranks }) => ({ documentId, seq, score: scoreOf(ranks, weights) }))
    .toSorted((a, b) => b.score - a.score || a.documentId.localeCompare(b.documentId) || a.seq - b.seq)
    .slice(0, MAX_RANKED);
}
