import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { READ_DOCUMENT, readDocumentId, type ReadDocumentInput } from './contract.ts';

const DEADLINE_MS = 5_000;

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
