import type { Client } from '@temporalio/client';
import { executeShort, type WorkflowStart } from '../core/client.ts';
import {
  EMBED_QUERY,
  embedKnowledgeBaseId,
  type EmbedKnowledgeBaseInput,
  embedQueryId,
  type EmbedQueryInput,
  readDocumentId,
  type ReadDocumentInput,
} from './contract.ts';

const QUERY_TIMES = { lifeMs: 9_000, deadlineMs: 10_000 };

/** Returns the workflow that reads a document of a knowledge base. */
export function documentStart({ orgId, knowledgeBaseId, documentId }: ReadDocumentInput): WorkflowStart {
  const input = { orgId, knowledgeBaseId, documentId };
  return { id: readDocumentId(input), input, fairnessKey: orgId };
}

/** Returns the workflow that gives vectors to the passages of a knowledge base. */
export function embeddingStart({ orgId, knowledgeBaseId }: EmbedKnowledgeBaseInput): WorkflowStart {
  const input = { orgId, knowledgeBaseId };
  return { id: embedKnowledgeBaseId(input), input, fairnessKey: orgId };
}

/** Has a stored query turned into vectors, and waits until that has ended (at most ten seconds). */
export async function runQueryEmbedding(client: Client, query: EmbedQueryInput): Promise<void> {
  await executeShort<void>(client, EMBED_QUERY, {
    id: embedQueryId(query),
    input: query,
    fairnessKey: query.orgId,
    ...QUERY_TIMES,
  });
}
