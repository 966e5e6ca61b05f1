import { proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { HousekeepingInput, PurgeOrgInput } from './contract.ts';

const { runHousekeeping, removeOrgRecords, removeOrgFiles } = proxyActivities<Activities>({
  // Longer than they may take. The run timeout of the Schedule's workflow ends housekeeping that hangs.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Does the housekeeping that is due every minute, every hour or every night. A Schedule starts it. */
export async function housekeeping(input: HousekeepingInput): Promise<void> {
  await runHousekeeping(input);
}

/** Removes the records of a deleted organization, and then its files. */
export async function purgeOrg(input: PurgeOrgInput): Promise<void> {
  const isDeleted = await removeOrgRecords(input);
  if (!isDeleted) return;
  // A tool that was running when the records went may still write until it is cancelled.
  await sleep('10 seconds');
  await removeOrgFiles(input);
}
