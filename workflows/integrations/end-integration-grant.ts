import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { RevokeGrantInput } from './contract.ts';

const { revokeGrant } = proxyActivities<Activities>({
  startToCloseTimeout: '40 seconds',
  // Nobody waits for it, and the database may be away.
  retry: { maximumAttempts: 5 },
});

/** Tells a service that what a person has granted to an integration is not needed any more. */
export async function endIntegrationGrant(input: RevokeGrantInput): Promise<void> {
  await workWhenDue(
    async () => {
      await revokeGrant(input);
      return null;
    },
    async () => continueAsNew<typeof endIntegrationGrant>(input),
  );
}
