import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { RevokeGrantInput } from './contract.ts';

const { revokeGrant } = proxyActivities<Activities>({
  startToCloseTimeout: '40 seconds',
  // Nobody waits for it, and the database may be away.
  retry: { maximumAttempts: 5 },
});

/** Tells a service that what a person has granted to an integration is not needed any more. */
export async function endIntegrationGrant(input: RevokeGrantInput): Promise<void> {
  await revokeGrant(input);
}
