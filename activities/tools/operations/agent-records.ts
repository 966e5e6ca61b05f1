import {
  addDocument,
  type DocumentSource,
  getDocument,
  type KnowledgeDocument,
} from '../../../db/knowledge-bases/documents.ts';
import {
  type FindVectors,
  type FoundPassage,
  type MeaningReport,
  searchPassages,
} from '../../../db/knowledge-bases/search/search-passages.ts';
import { type KnowledgeBase, listKnowledgeBases } from '../../../db/knowledge-bases/knowledge-bases.ts';
import type { Database, TenantDatabase } from '../../../db/core/database.ts';
import type { Listed } from '../../../db/core/page.ts';
import { withOrgTransaction } from '../../../db/core/transactions.ts';
import {
  addMemory,
  deleteMemory,
  getMemory,
  listMemories,
  type Memory,
  type MemoryChanges,
  type NewMemory,
  searchMemories,
  updateMemory,
} from '../../../db/memories.ts';
import type { MemoryType } from '../../../domain/memories.ts';
import { findChosenKnowledge } from '../../../db/agents/references.ts';
import { requireMayDirect } from '../../../db/agents/may-direct.ts';
import type { Definitions } from '../../../db/definitions/definitions.ts';
import type { OrgLimits } from '../../../domain/orgs.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import { findQueryVectors, type VectorDeps } from '../../embeddings/ask-for-vectors.ts';
import { ToolFailure } from '../tool-failure.ts';
import { type AgentCall, auditCall, runOperation, runSearch } from './agent-call.ts';

/** A query of an agent to its knowledge bases. */
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

interface MemoryQuery {
  readonly type: MemoryType | undefined;
  /** A memory must have all of them. */
  readonly tags: readonly string[] | undefined;
  readonly limit: number;
}

/** The memories of the agent that a call works for. Throws `ToolFailure` with a message for the model. */
export interface AgentMemories {
  /** Stores a memory under an id; the same id again adds nothing and returns the stored one. */
  add(id: string, fields: NewMemory): Promise<Memory>;
  search(search: MemoryQuery & { readonly words: readonly string[] }): Promise<readonly Memory[]>;
  list(page: MemoryQuery): Promise<Listed<Memory>>;
  /** Changes the given fields only. */
  update(id: string, changes: MemoryChanges): Promise<Memory>;
  delete(id: string): Promise<void>;
}

/** A skill of the agent: text that its organization has written. */
export interface AgentSkill {
  readonly key: string;
  /** The paths of its files. */
  readonly paths: readonly string[];
}

/** The skills of the agent that a call works for, those that the user may use. */
export interface AgentSkills {
  list(): Promise<readonly AgentSkill[]>;
  /** Returns a file of a skill of this key; `undefined` when there is none at this path. */
  readFile(key: string, path: string): Promise<string | undefined>;
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
  scope: Omit<AgentCall, 'policy'>,
  signal: AbortSignal,
): AgentKnowledge {
  const { database } = deps;
  const { orgId, userId } = scope;
  const list = async () => {
    const chosen = await findChosenKnowledge(database, scope);
    return (await listKnowledgeBases(database, orgId, { onlyIds: chosen ?? undefined })).items;
  };
  return {
    search: async ({ bases: wanted, ...search }) =>
      runSearch(signal, async () => {
        const bases = chosenAmong(await list(), wanted);
        const findVectors: FindVectors = async (query, targets) =>
          findQueryVectors(deps, { orgId, query, targets }, signal);
        const baseIds = bases.map(({ id }) => id);
        const { results, meaning } = await searchPassages(database, orgId, { ...search, baseIds }, findVectors);
        return { bases, passages: results, meaning };
      }),
    add: async (id, { base, ...document }) =>
      runOperation(signal, async () => {
        const [found] = chosenAmong(await list(), [base]);
        const ref = { orgId, knowledgeBaseId: found?.id ?? '' };
        await withOrgTransaction(database, orgId, async (em) =>
          addDocument(em, { ...ref, ...document, userId }, { limits, id }),
        );
        const { source, ...given } = document;
        const change = {
          action: 'knowledge_documents.create',
          recordId: id,
          given: { ...source, ...given },
        } as const;
        await auditCall(database, scope, { ...change, relatedIds: [ref.knowledgeBaseId] });
        return getDocument(database, { ...ref, documentId: id });
      }),
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

/**
 * Returns the memories of one agent for a tool, until the signal aborts. The agent sees them when it works for others,
 * so a user who may not direct it changes none of them through it.
 */
export function agentMemories(
  database: TenantDatabase & Pick<Database, 'system'>,
  scope: AgentCall,
  signal: AbortSignal,
): AgentMemories {
  const { policy, orgId, agentId } = scope;
  const owner = { orgId, agentId };
  const run = async <T>(work: () => Promise<T>) => runOperation(signal, work);
  const requireMayChange = async () => {
    const director = { ...owner, policy, knownAgentId: agentId };
    await requireMayDirect(database, director, { by: 'agent', names: [agentId] });
  };
  const audit = async (action: 'create' | 'update' | 'delete', recordId: string, given: object) =>
    auditCall(database, scope, { action: `memories.${action}`, recordId, given });
  const change = async <T>(action: 'create' | 'update', id: string, given: object, work: () => Promise<T>) =>
    run(async () => {
      await requireMayChange();
      const result = await work();
      await audit(action, id, given);
      return result;
    });
  return {
    add: async (id, fields) => change('create', id, fields, () => addMemory(database, owner, fields, id)),
    search: async (search) => runSearch(signal, () => searchMemories(database, owner, search)),
    list: async (page) => run(() => listMemories(database, owner, page)),
    update: async (id, changes) => change('update', id, changes, () => updateMemory(database, owner, id, changes)),
    delete: async (id) => {
      await run(requireMayChange);
      await run(async () => getMemory(database, owner, id));
      // Before, because a repeated call finds nothing any more that it could enter.
      await run(async () => audit('delete', id, {}));
      await run(async () => deleteMemory(database, owner, id));
    },
  };
}

/** Returns the skills of one agent for a tool, until the signal aborts. */
export function agentSkills(
  definitions: Definitions,
  { orgId, keys }: { readonly orgId: string; readonly keys: readonly string[] },
  signal: AbortSignal,
): AgentSkills {
  const list = async () => retryWhileDatabaseUnavailable(signal, async () => definitions.read(orgId, 'skill', keys));
  return {
    list,
    readFile: async (key, path) => {
      const skill = (await list()).find((each) => each.key === key);
      if (skill === undefined) return undefined;
      return retryWhileDatabaseUnavailable(signal, async () => definitions.readFile(orgId, skill, path));
    },
  };
}
