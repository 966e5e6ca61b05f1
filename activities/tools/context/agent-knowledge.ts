import type {
  DocumentSource,
  FoundPassage,
  KnowledgeBase,
  KnowledgeDocument,
  MeaningReport,
} from '../../../db/knowledge-bases/index.ts';

/** What an agent looks for in its knowledge bases. */
interface KnowledgeQuery {
  readonly query: string;
  /** Ids or names; all that the agent may search unless given. */
  readonly bases: readonly string[] | undefined;
  readonly limit: number;
  /** A document must have all of them. */
  readonly tags: readonly string[] | undefined;
}

interface NewKnowledge {
  /** The id or the name of the knowledge base. */
  readonly base: string;
  readonly source: DocumentSource;
  readonly title: string;
  readonly tags: readonly string[];
}

/**
 * The knowledge bases that the agent of a call may search: those that were chosen for it, or all of the organization.
 * Throws `ToolFailure` with a message for the model.
 */
export interface AgentKnowledge {
  search(query: KnowledgeQuery): Promise<{
    readonly bases: readonly KnowledgeBase[];
    readonly passages: readonly FoundPassage[];
    readonly meaning: MeaningReport;
  }>;
  /** Adds a document under an id; the same id again adds nothing and returns the stored one. */
  add(id: string, document: NewKnowledge): Promise<KnowledgeDocument>;
}
