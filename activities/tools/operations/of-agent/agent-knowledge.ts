import { findChosenKnowledge } from '../../../../db/agents/index.ts';
import { withOrgTransaction } from '../../../../db/core/index.ts';
import {
  addDocument,
  type FindVectors,
  getDocument,
  type KnowledgeBase,
  listKnowledgeBases,
  searchPassages,
} from '../../../../db/knowledge-bases/index.ts';
import type { OrgLimits } from '../../../../domain/orgs/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import { findQueryVectors, type VectorDeps } from '../../../embeddings/index.ts';
import type { AgentKnowledge } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { inToolTerms, searchInToolTerms } from '../in-tool-terms.ts';
import { auditCall } from '../platform/audit-call.ts';

interface KnowledgeScope {
  readonly orgId: string;
  /** The user that the turn works for. */
  readonly userId: string;
  readonly agentId: string;
  readonly callId: string;
}

interface KnowledgeOperations extends VectorDeps {
  readonly orgLimits: OrgLimits;
}

/** The names that a refusal lists. */
const MAX_NAMED = 20;

/**
 * Returns the knowledge bases of an agent for a tool, until the signal aborts: those that were chosen for it, or all of
 * the organization. Others do not exist for it.
 */
export function agentKnowledge(
  { orgLimits: limits, ...deps }: KnowledgeOperations,
  scope: KnowledgeScope,
  signal: AbortSignal,
): AgentKnowledge {
  const { database } = deps;
  const { orgId, userId } = scope;
  const retried = async <T>(work: () => Promise<T>) => retryWhileDatabaseUnavailable(signal, work);
  const list = async () => {
    const chosen = await findChosenKnowledge(database, scope);
    return (await listKnowledgeBases(database, orgId, { onlyIds: chosen ?? undefined })).items;
  };
  return {
    search: async ({ bases: wanted, ...search }) =>
      searchInToolTerms(async () =>
        retried(async () => {
          const bases = chosenAmong(await list(), wanted);
          const findVectors: FindVectors = async (query, targets) =>
            findQueryVectors(deps, { orgId, query, targets }, signal);
          const baseIds = bases.map(({ id }) => id);
          const { results, meaning } = await searchPassages(database, orgId, { ...search, baseIds }, findVectors);
          return { bases, passages: results, meaning };
        }),
      ),
    add: async (id, { base, ...document }) =>
      inToolTerms(async () =>
        retried(async () => {
          const [found] = chosenAmong(await list(), [base]);
          const place = { orgId, knowledgeBaseId: found?.id ?? '' };
          await withOrgTransaction(database, orgId, async (em) =>
            addDocument(em, { ...place, ...document, userId }, { limits, id }),
          );
          const { source, ...given } = document;
          const change = {
            action: 'knowledge_documents.create',
            recordId: id,
            given: { ...source, ...given },
          } as const;
          await auditCall(database, scope, { ...change, relatedIds: [place.knowledgeBaseId] });
          return getDocument(database, { ...place, documentId: id });
        }),
      ),
  };
}

// A model names bases by what it has seen of them: their ids or their names.
function chosenAmong(bases: readonly KnowledgeBase[], wanted: readonly string[] | undefined): readonly KnowledgeBase[] {
  if (wanted === undefined) return bases;
  return wanted.map((named) => {
    const key = named.trim().toLowerCase();
    const found = bases.find(({ id }) => id === key) ?? bases.find(({ name }) => name.toLowerCase() === key);
    if (found !== undefined) return found;
    const yours = bases.slice(0, MAX_NAMED).map(({ id, name }) => `${name} (${id})`);
    throw new ToolFailure(
      'not_found',
      `You have no knowledge base "${named}". Yours are: ${yours.join(', ') || 'none'}`,
    );
  });
}
