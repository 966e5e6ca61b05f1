import type { WorkflowStart } from '../core/client.ts';
import { ENTER_MESSAGES_ID } from './contract.ts';

/** Returns the workflow that enters new messages into the index of the search. */
export function messagesStart(): WorkflowStart {
  return { id: ENTER_MESSAGES_ID, input: {} };
}
