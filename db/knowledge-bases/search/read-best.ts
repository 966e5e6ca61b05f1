import type { TenantDatabase } from '../../core/index.ts';
import type { KnowledgeDocument } from '../documents.ts';

/** A passage that a search has found, and where it stands. */
export interface FoundPassage extends Pick<KnowledgeDocument, 'knowledgeBaseId' | 'source' | 'url' | 'fileId'> {
  readonly knowledgeBaseName: string;
  readonly documentId: string;
  readonly documentTitle: string;
  /** Its place among the passages of the document, from 0. */
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

/** The ways in which passages are looked for. */
export const SEARCH_KINDS = ['words', 'meaning'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** A passage to be read, and how well it answers. */
interface Best extends Pick<FoundPassage, 'documentId' | 'score' | 'foundBy'> {
  readonly seq: number;
}

/** Reads passages that a search has found, in the given order; those that are gone by now are left out. */
export async function readBest(
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
          as wanted (document_id, seq, score, found_by, place)
        join knowledge_passages p on p.document_id = wanted.document_id and p.seq = wanted.seq
        join knowledge_documents d on d.id = p.document_id
        join knowledge_bases b on b.id = d.knowledge_base_id
      order by wanted.place`,
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
