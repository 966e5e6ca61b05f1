import { proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { PurgeOrgInput } from './contract.ts';

const { removeOrgRecords, removeOrgFiles } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Removes the records of a deleted organization, and then its files. */
export async function purgeOrg(input: PurgeOrgInput): Promise<void> {
  const isDeleted = await removeOrgRecords(input);
  if (!isDeleted) return;
  // A tool that was running when the records went may still write until it is cancelled.
  await sleep('10 seconds');
  await removeOrgFiles(input);
}
