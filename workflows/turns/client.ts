import type { Client } from '@temporalio/client';
import type { DueChat } from '../../domain/core/due-work.ts';
import { signalWorkflow, withinDeadline } from '../core/client.ts';
import { TASK_QUEUE, WAKE } from '../core/contract.ts';
import {
  CONVERSATION,
  conversationId,
  type ConversationInput,
  subAgentId,
  TASK_TIMEOUT,
  type TurnsInput,
} from './contract.ts';

/** A conversation to start, and the turn that it is started for, if it is one in particular. */
type ConversationStart = ConversationInput & Pick<TurnsInput, 'lingers' | 'seq'>;

/**
 * Makes sure that the chat's open turns are answered: starts its conversation, or signals the running one. Harmless to
 * repeat. Throws when Temporal does not respond within five seconds; a worker then does it later.
 */
export async function wakeConversation(client: Client, start: ConversationStart): Promise<void> {
  const signalArgs: number[] = start.seq === undefined ? [] : [start.seq];
  // Without a deadline every message sent while Temporal hangs would wait for ever.
  await withinDeadline(client, () =>
    client.workflow.signalWithStart(CONVERSATION, {
      ...startOptions(start),
      signal: WAKE,
      signalArgs,
    }),
  );
}

/**
 * Starts the chat's conversation; its first task comes with the response when the client uses the connection of a
 * worker. Returns false when the conversation is open already. Throws when Temporal does not respond within five
 * seconds.
 */
export async function startConversation(client: Client, start: ConversationStart): Promise<boolean> {
  try {
    await withinDeadline(client, () =>
      client.workflow.start(CONVERSATION, { ...startOptions(start), requestEagerStart: true }),
    );
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return false;
    throw error;
  }
}

function startOptions({ orgId, chatId, lingers = false, seq }: ConversationStart) {
  const input: TurnsInput = {
    orgId,
    chatId,
    triesShortTurns: true,
    lingers,
    ...(seq !== undefined && { seq }),
  };
  return {
    workflowId: conversationId(input),
    taskQueue: TASK_QUEUE,
    args: [input] as [TurnsInput],
    workflowTaskTimeout: TASK_TIMEOUT,
    priority: { fairnessKey: orgId },
  } as const;
}

/**
 * Wakes the workflow that answers the turns of a chat. That of a sub-agent is signalled only: one that does not exist
 * has ended, or begins later and reads its rows then. Throws when Temporal does not respond within five seconds.
 */
export async function wakeChat(client: Client, { isSubAgent, orgId, chatId }: DueChat): Promise<void> {
  if (isSubAgent) await signalWorkflow(client, subAgentId({ orgId, chatId }));
  else await wakeConversation(client, { orgId, chatId });
}
