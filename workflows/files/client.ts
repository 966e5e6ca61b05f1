import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { EXTRACT_TEXT, extractTextId, type ExtractTextInput } from './contract.ts';

const DEADLINE_MS = 5_000;

/** Makes sure that the text of a file is being extracted. Harmless to repeat. */
export async function startExtraction(client: Client, file: ExtractTextInput): Promise<void> {
  const { orgId, fileId } = file;
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.start<(input: ExtractTextInput) => Promise<void>>(EXTRACT_TEXT, {
      workflowId: extractTextId(file),
      taskQueue: TASK_QUEUE,
      args: [{ orgId, fileId }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      priority: { fairnessKey: orgId },
    }),
  );
}
