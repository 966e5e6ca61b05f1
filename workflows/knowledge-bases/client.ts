import type { Client } from '@temporalio/client';
import { executeShort, startDetached } from '../core/client.ts';
import {
  EMBED_KNOWLEDGE_BASE,
  EMBED_QUERY,
  embedKnowledgeBaseId,
  type EmbedKnowledgeBaseInput,
  embedQueryId,
  type EmbedQueryInput,
  READ_DOCUMENT,
  readDocumentId,
  type ReadDocumentInput,
} from './contract.ts';

const QUERY_TIMES = { lifeMs: 9_000, deadlineMs: 10_000 };

/** Makes sure that a document of a knowledge base is being read. Harmless to repeat. */
export async function startReading(
  client: Client,
  { orgId, knowledgeBaseId, documentId }: ReadDocumentInput,
): Promise<void> {
  const input = { orgId, knowledgeBaseId, documentId };
  await startDetached(client, READ_DOCUMENT, { id: readDocumentId(input), input, fairnessKey: orgId });
}

/** Makes sure that the passages of a knowledge base are being given vectors. Harmless to repeat. */
export async function startEmbedding(
  client: Client,
  { orgId, knowledgeBaseId }: EmbedKnowledgeBaseInput,
): Promise<void> {
  const input = { orgId, knowledgeBaseId };
  await startDetached(client, EMBED_KNOWLEDGE_BASE, { id: embedKnowledgeBaseId(input), input, fairnessKey: orgId });
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
