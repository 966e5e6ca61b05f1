import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { MAX_TRIAL_MS, type TryToolInput } from './contract.ts';

const { tryTool: makeCall } = proxyActivities<Activities>({
  startToCloseTimeout: MAX_TRIAL_MS + 10_000,
  heartbeatTimeout: '8 seconds',
  // It may have an effect that must not happen twice. The person who asked is waiting and can ask again.
  retry: { maximumAttempts: 1 },
});

/** Makes one call of a tool that a person tries. What is called and what comes of it stands in the row of the call. */
export async function tryTool(input: TryToolInput): Promise<void> {
  await makeCall(input);
}
