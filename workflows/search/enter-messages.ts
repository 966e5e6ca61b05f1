import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { EnterMessagesInput } from './contract.ts';

const { enterNewMessages } = proxyActivities<Activities>({
  // A batch more than the ten seconds that it goes on for.
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Enters new messages into the index of the search until it knows all. */
export async function enterMessages(input: EnterMessagesInput): Promise<void> {
  await workWhenDue(
    async () => enterNewMessages(input),
    async () => continueAsNew<typeof enterMessages>(input),
  );
}
