import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ExtractTextInput } from './contract.ts';

const { extractFileText } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Extracts the text of a file. The record of the file says what came of it, and a file without a result is found again.
 */
export async function extractText(input: ExtractTextInput): Promise<void> {
  await extractFileText(input);
}
