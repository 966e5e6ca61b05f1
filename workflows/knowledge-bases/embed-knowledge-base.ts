import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { workWhenDue } from '../core/work-when-due.ts';
import type { EmbedKnowledgeBaseInput } from './contract.ts';

const { embedKnowledgeBase: embed } = proxyActivities<Activities>({
  // A run of four minutes, and the calls that it has begun by then.
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * Gives vectors to the passages of a knowledge base that have none. While no account can make them, it waits for the
 * next try, or until it is told that there may be one.
 */
export async function embedKnowledgeBase(input: EmbedKnowledgeBaseInput): Promise<void> {
  await workWhenDue(
    async () => embed(input),
    async () => continueAsNew<typeof embedKnowledgeBase>(input),
  );
}
