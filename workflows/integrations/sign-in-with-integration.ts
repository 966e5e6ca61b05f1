import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { IntegrationSignInInput, IntegrationSignInResult } from './contract.ts';

const { finishIntegrationSignIn } = proxyActivities<Activities>({
  startToCloseTimeout: '40 seconds',
  // A code is good for one use, and the person is waiting.
  retry: { maximumAttempts: 1 },
});

/** Finishes a person's sign-in with an integration. */
export async function signInWithIntegration(input: IntegrationSignInInput): Promise<IntegrationSignInResult> {
  return finishIntegrationSignIn(input);
}
