import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { EmbedQueryInput } from './contract.ts';

const { embedQuery: embed } = proxyActivities<Activities>({
  startToCloseTimeout: '10 seconds',
  // Whoever searches is waiting, and is answered by words alone.
  retry: { maximumAttempts: 1 },
});

/** Turns a query into vectors. Its text and what comes of it stand in the row of the query. */
export async function embedQuery(input: EmbedQueryInput): Promise<void> {
  await embed(input);
}
