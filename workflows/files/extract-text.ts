import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { ExtractTextInput } from './contract.ts';

const { extractFileText } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Extracts the text of a file. The record of the file says what came of it. */
export async function extractText(input: ExtractTextInput): Promise<void> {
  await workWhenDue(
    async () => {
      await extractFileText(input);
      return null;
    },
    async () => continueAsNew<typeof extractText>(input),
  );
}
