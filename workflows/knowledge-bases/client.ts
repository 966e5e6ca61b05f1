import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
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

const DEADLINE_MS = 5_000;
/** The longest life of a query's workflow, in milliseconds, and when an engine that hangs is given up. */
const QUERY_MS = 9_000;
const QUERY_DEADLINE_MS = 10_000;

/** Makes sure that a document of a knowledge base is being read. Harmless to repeat. */
export async function startReading(client: Client, document: ReadDocumentInput): Promise<void> {
  const { orgId, knowledgeBaseId, documentId } = document;
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: ReadDocumentInput) => Promise<void>>(READ_DOCUMENT, {
      workflowId: readDocumentId(document),
      taskQueue: TASK_QUEUE,
      args: [{ orgId, knowledgeBaseId, documentId }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: orgId },
    }),
  );
}

/** Makes sure that the passages of a knowledge base are being given vectors. Harmless to repeat. */
export async function startEmbedding(client: Client, base: EmbedKnowledgeBaseInput): Promise<void> {
  const { orgId, knowledgeBaseId } = base;
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: EmbedKnowledgeBaseInput) => Promise<void>>(EMBED_KNOWLEDGE_BASE, {
      workflowId: embedKnowledgeBaseId(base),
      taskQueue: TASK_QUEUE,
      args: [{ orgId, knowledgeBaseId }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: orgId },
    }),
  );
}

/** Has a stored query turned into vectors, and waits until that has ended (at most ten seconds). */
export async function runQueryEmbedding(client: Client, query: EmbedQueryInput): Promise<void> {
  await client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
    client.workflow.execute<(input: EmbedQueryInput) => Promise<void>>(EMBED_QUERY, {
      workflowId: embedQueryId(query),
      taskQueue: TASK_QUEUE,
      args: [query],
      workflowExecutionTimeout: QUERY_MS,
      priority: { fairnessKey: query.orgId },
    }),
  );
}
