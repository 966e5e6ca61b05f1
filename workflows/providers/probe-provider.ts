import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ProbeProviderInput, ProbeResult } from './contract.ts';

const { callProvider } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  // The person who asked is waiting and can ask again.
  retry: { maximumAttempts: 1 },
});

/** Makes one small call with a provider account and returns its result. */
export async function probeProvider(input: ProbeProviderInput): Promise<ProbeResult> {
  return callProvider(input);
}
