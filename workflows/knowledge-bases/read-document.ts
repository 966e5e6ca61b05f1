import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { ReadDocumentInput } from './contract.ts';

const { readKnowledgeDocument } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Reads the text of a document and makes it searchable; the text of a file once that is extracted. The document says
 * what came of it.
 */
export async function readDocument(input: ReadDocumentInput): Promise<void> {
  await workWhenDue(
    async () => readKnowledgeDocument(input),
    async () => continueAsNew<typeof readDocument>(input),
  );
}
