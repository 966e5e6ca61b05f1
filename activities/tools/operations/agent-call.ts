import { AppError } from '../../../domain/core/app-error.ts';
import type { Policy } from '../../../domain/permissions/index.ts';

/** A call of an agent that works on records of the platform, and whom it works for. */
export interface AgentCall {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that makes it. */
  readonly agentId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  readonly callId: string;
}

/** A call of an agent in a chat. */
export interface CallInChat extends AgentCall {
  /** The chat of the agent at the root: the conversation of a run, when a run works there. */
  readonly chatId: string;
}

/** A call of an agent in a chat that may be below that of the user: of a sub-agent, or of one that works on a task. */
export interface CallBelowChat extends CallInChat {
  /** The agent's own chat: the same one, or one below it. */
  readonly belowId: string;
}

/** Returns the user whom a call works for; `forbidden` when they have left the organization. */
export function memberOf<T extends Pick<AgentCall, 'policy'>>({ policy, ...call }: T) {
  if (policy !== null) return { ...call, policy };
  throw new AppError('forbidden', 'The user whom you work for is no member of the organization any more');
}
