import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ReadDocumentInput } from './contract.ts';

const { readKnowledgeDocument } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Reads the text of a document and makes it searchable. The document says what came of it, and one without a result is
 * found again.
 */
export async function readDocument(input: ReadDocumentInput): Promise<void> {
  await readKnowledgeDocument(input);
}
