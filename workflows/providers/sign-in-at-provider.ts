import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ProviderSignInInput } from './contract.ts';

const { signInWithCli } = proxyActivities<Activities>({
  // Longer than a sign-in lasts, which ends by itself.
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '12 seconds',
  // Another program would know nothing of the page that the person has open.
  retry: { maximumAttempts: 1 },
});
const { failProviderSignIn } = proxyActivities<Activities>({ startToCloseTimeout: '10 seconds' });

/** Runs a program that signs a person in at a provider. When its worker dies, the sign-in is stored as failed. */
export async function signInAtProvider(input: ProviderSignInInput): Promise<void> {
  try {
    await signInWithCli(input);
  } catch {
    await failProviderSignIn(input);
  }
}
