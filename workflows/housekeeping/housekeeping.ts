import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { HousekeepingInput } from './contract.ts';

const { runHousekeeping } = proxyActivities<Activities>({
  // Longer than it may take. The run timeout of the Schedule's workflow ends what hangs.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Does the housekeeping that is due every minute, every hour or every night. A Schedule starts it. */
export async function housekeeping(input: HousekeepingInput): Promise<void> {
  await runHousekeeping(input);
}
