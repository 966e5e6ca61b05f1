import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { CheckIntegrationInput, CheckIntegrationResult } from './contract.ts';

const { tryIntegration } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  // The person who asked is waiting and can ask again.
  retry: { maximumAttempts: 1 },
});

/** Makes one small request with an integration and has its result stored. */
export async function checkIntegration(input: CheckIntegrationInput): Promise<CheckIntegrationResult> {
  return tryIntegration(input);
}
