import { mergeRanks } from '../../../domain/knowledge/index.ts';
import type { TenantDatabase } from '../../core/index.ts';
import type { QueryTarget, QueryVector } from './queries.ts';
import { listSearchedVectors, MAX_COMPARED, rankByMeaning, type SearchedVectors } from './rank-by-meaning.ts';
import { type PassageSearch, rankByWords } from './rank-by-words.ts';
import { type FoundPassage, readBest, SEARCH_KINDS, type SearchKind } from './read-best.ts';

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

/** What a search has found, the best first, and how. */
export interface FoundPassages {
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
  const { lists, ...looked } = await rankByMeaning(database, orgId, {
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
  return { results: await readBest(database, orgId, best), meaning: reportOf(bases, vectors, looked) };
}

/** Returns by what a search has looked for passages. */
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

interface Looked {
  readonly compared: number;
  readonly isWhole: boolean;
}

function reportOf(
  bases: readonly SearchedVectors[],
  vectors: readonly QueryVector[],
  { compared, isWhole }: Looked,
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
