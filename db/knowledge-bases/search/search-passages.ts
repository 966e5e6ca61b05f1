import { mergeRanks } from '../../../domain/knowledge.ts';
import type { TenantDatabase } from '../../core/database.ts';
import type { KnowledgeDocument } from '../documents.ts';
import type { QueryTarget, QueryVector } from './queries.ts';
import { listSearchedVectors, MAX_COMPARED, rankByMeaning, type SearchedVectors } from './rank-by-meaning.ts';
import { type PassageSearch, rankByWords } from './rank-by-words.ts';

/** How a search went by meaning. */
export interface MeaningReport {
  /** `exact`: the query was compared with the passages one by one; `off`: passages were found by words alone. */
  readonly search: 'exact' | 'off';
  /** How many passages were compared, of how many that there are. */
  readonly compared: number;
  readonly passages: number;
  /** Why not all of them were compared, in words for a person; null when they were. */
  readonly reason: string | null;
}

/** The results of a search, best first, and how they were ranked. */
interface FoundPassages {
  readonly results: readonly FoundPassage[];
  readonly meaning: MeaningReport;
}

/** Finds the vectors of a query for models, by a provider. Never throws for the provider's errors. */
export type FindVectors = (query: string, targets: readonly QueryTarget[]) => Promise<readonly QueryVector[]>;

/** The passages that a search returns at most. */
export const MAX_FOUND_PASSAGES = 50;
/** The models that one search asks at most. */
const MAX_MODELS = 3;

/**
 * Searches the passages of ready documents by words and, where they have vectors, by meaning, and merges what both have
 * found. Without vectors of the query it falls back to words, and says why.
 */
export async function searchPassages(
  database: TenantDatabase,
  orgId: string,
  search: PassageSearch,
  ...[findVectors]: [FindVectors]
): Promise<FoundPassages> {
  const bases = await listSearchedVectors(database, orgId, search.baseIds);
  const targets = targetsOf(bases);
  const [byWords, vectors] = await Promise.all([
    rankByWords(database, orgId, search),
    targets.length === 0 ? [] : findVectors(search.query, targets),
  ]);
  const usable = vectors.flatMap((each) => ('vector' in each ? [each] : []));
  const { lists, ...coverage } = await rankByMeaning(database, orgId, {
    bases: bases.filter(({ isOff }) => !isOff),
    vectors: usable,
    tags: search.tags ?? [],
  });
  const merged = mergeRanks([byWords, ...lists], ({ documentId, seq }) => `${documentId} ${seq}`).slice(
    0,
    search.limit,
  );
  const best = merged.map(({ item: { documentId, seq }, score, lists: found }) => ({
    documentId,
    seq,
    score,
    foundBy: SEARCH_KINDS.filter((kind) => found.some((list) => (list === 0) === (kind === 'words'))),
  }));
  return { results: await readBest(database, orgId, best), meaning: reportOf(bases, vectors, coverage) };
}

/** Returns the ways in which a search has found passages. */
export function searchedBy({ search }: Pick<MeaningReport, 'search'>): readonly SearchKind[] {
  return search === 'off' ? ['words'] : SEARCH_KINDS;
}

function targetsOf(bases: readonly SearchedVectors[]): readonly QueryTarget[] {
  const byModel = new Map<string, QueryTarget>();
  for (const { model, knowledgeBaseId, embedded, isOff } of bases) {
    if (model !== null && embedded > 0 && !isOff && !byModel.has(model)) byModel.set(model, { model, knowledgeBaseId });
  }
  return [...byModel.values()].slice(0, MAX_MODELS);
}

interface Coverage {
  readonly compared: number;
  readonly isWhole: boolean;
}

function reportOf(
  bases: readonly SearchedVectors[],
  vectors: readonly QueryVector[],
  { compared, isWhole }: Coverage,
): MeaningReport {
  const passages = bases.reduce((sum, base) => sum + base.passages, 0);
  const reason = whyNotAsked(bases, vectors) ?? whyNotAll(bases, isWhole);
  return { search: compared > 0 ? 'exact' : 'off', compared, passages, reason };
}

function whyNotAsked(bases: readonly SearchedVectors[], vectors: readonly QueryVector[]): string | null {
  const failed = vectors.find((each) => 'reason' in each);
  if (failed !== undefined) return failed.reason;
  const isOther = vectors.some(
    (each) =>
      'vector' in each && bases.some((base) => base.model === each.model && base.dimensions !== each.vector.length),
  );
  return isOther ? 'The model answers with vectors of other dimensions than the passages have' : null;
}

function whyNotAll(bases: readonly SearchedVectors[], isWhole: boolean): string | null {
  const wanted = bases.filter(({ isOff }) => !isOff);
  if (bases.length > 0 && wanted.length === 0) return 'embedding_model is off: passages are found by words alone';
  const lacking = wanted.find(({ embedded, passages }) => embedded < passages);
  if (lacking !== undefined) return lacking.error ?? 'Some passages have no vectors yet';
  if (!isWhole)
    return `Not all passages were compared: a search takes the newest ${MAX_COMPARED} at most, and two seconds`;
  return wanted.length < bases.length ? 'embedding_model of some of the knowledge bases is off' : null;
}

/** A passage that a search has found, and its location. */
export interface FoundPassage extends Pick<KnowledgeDocument, 'knowledgeBaseId' | 'source' | 'url' | 'fileId'> {
  readonly knowledgeBaseName: string;
  readonly documentId: string;
  readonly documentTitle: string;
  /** Its position among the passages of the document, from 0. */
  readonly position: number;
  readonly heading: string;
  /** Where it begins and ends in the text of the document, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** How well it answers compared with the others. */
  readonly score: number;
  /** By what it was found. */
  readonly foundBy: readonly SearchKind[];
}

/** The ways in which passages are searched for. */
export const SEARCH_KINDS = ['words', 'meaning'] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

/** A passage to be read, and how well it answers. */
interface Best extends Pick<FoundPassage, 'documentId' | 'score' | 'foundBy'> {
  readonly seq: number;
}

/** Reads passages that a search has found, in the given order; those that are gone by now are left out. */
async function readBest(
  { tenant }: TenantDatabase,
  orgId: string,
  best: readonly Best[],
): Promise<readonly FoundPassage[]> {
  if (best.length === 0) return [];
  const rows = await tenant.query<Omit<FoundPassage, 'foundBy'> & { readonly foundBy: string }>(orgId, {
    name: 'read-passages',
    text: `select b.id as "knowledgeBaseId", b.name as "knowledgeBaseName", d.id as "documentId", d.title as "documentTitle",
        d.source, d.url, d.file_id as "fileId", p.seq as position, p.heading, p.start_at as start, p.end_at as end,
        p.content as text, wanted.score, wanted.found_by as "foundBy"
      from unnest($1::uuid[], $2::int[], $3::float8[], $4::text[]) with ordinality
          as wanted (document_id, seq, score, found_by, position)
        join knowledge_passages p on p.document_id = wanted.document_id and p.seq = wanted.seq
        join knowledge_documents d on d.id = p.document_id
        join knowledge_bases b on b.id = d.knowledge_base_id
      order by wanted.position`,
    values: [
      best.map(({ documentId }) => documentId),
      best.map(({ seq }) => seq),
      best.map(({ score }) => score),
      best.map(({ foundBy }) => foundBy.join(' ')),
    ],
  });
  return rows.map(({ foundBy, ...passage }) => ({
    ...passage,
    foundBy: SEARCH_KINDS.filter((kind) => foundBy.includes(kind)),
  }));
}
