import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from '../core/contract.ts';
import { CONVERSATION, conversationId, type ConversationInput, subAgentId, WAKE } from './contract.ts';

const DEADLINE_MS = 5_000;

/**
 * Sees to it that the chat's open turns are answered: starts its conversation, or tells the one that is there. Harmless
 * to repeat. Throws when Temporal does not answer within five seconds; the sweeper then does it later.
 */
export async function wakeConversation(client: Client, input: ConversationInput): Promise<void> {
  // Without a deadline every message sent while Temporal hangs would wait for it for ever.
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    client.workflow.signalWithStart(CONVERSATION, {
      workflowId: conversationId(input),
      taskQueue: TASK_QUEUE,
      args: [input],
      signal: WAKE,
      signalArgs: [],
      priority: { fairnessKey: input.orgId },
    }),
  );
}

/**
 * Tells the sub-agent that works in a chat to look at its rows. One that is not there has ended, or begins later and
 * looks at them then. Throws when Temporal does not answer within five seconds.
 */
export async function wakeSubAgent(client: Client, input: ConversationInput): Promise<void> {
  await client
    .withDeadline(Date.now() + DEADLINE_MS, () => client.workflow.getHandle(subAgentId(input)).signal(WAKE))
    .catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
    });
}
