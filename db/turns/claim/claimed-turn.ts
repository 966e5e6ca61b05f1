import type { ApprovalStatus } from '../../../domain/approvals.ts';
import type { TokenUsage } from '../../../domain/turns.ts';
import type { TaskStatus } from '../../../domain/tasks.ts';
import type { Effect } from '../../../domain/tool-calls/tool-call.ts';
import type { AncestorTurn } from '../ancestors.ts';
import type { TurnParts } from './turn-parts.ts';

/**
 * The input of a turn's step: the state of the turn, the user's policy, and the parts that the capabilities give,
 * restricted to what the user may use.
 */
export interface ClaimedTurn extends TurnState, TurnParts {}

/** The turn's own row and calls, after the claim. */
export interface TurnState {
  readonly id: string;
  readonly seq: number;
  /** The `seq` of the turn before it in its chat, 0 when there is none. */
  readonly afterSeq: number;
  /** The span that it was stored in; null where that was not traced. */
  readonly traceparent: string | null;
  /** Together with `step` it fences: once a later attempt or step has begun, writes with these values are ignored. */
  readonly attempt: number;
  /** The model step to take, from 0: the number of stored steps. While calls are open it is still the previous one. */
  readonly step: number;
  /** The time since its message was stored, in milliseconds. */
  readonly ageMs: number;
  /** How often this step was begun since the turn last waited. */
  readonly stepTries: number;
  /** How many attempts have ended with an unexpected error since the last stored step. */
  readonly faults: number;
  /** How often a process ended while it read the turn's long conversation, since one last did not. */
  readonly unfinishedReads: number;
  /** How often calls of the turn were repeated because the process that ran them died. */
  readonly lostCallTries: number;
  readonly userId: string;
  /** Whether it, or one of the turns above it, was asked to stop. */
  readonly isInterrupted: boolean;
  /** Whether a sub-agent's time limit is up. */
  readonly isOverdue: boolean;
  /** The remaining time of a sub-agent in milliseconds; null for the agent of a chat. */
  readonly remainingMs: number | null;
  readonly isChatDeleted: boolean;
  /** The time at which it began to wait for a provider, until a step is stored. */
  readonly waitingSince: Date | null;
  /** Its slot among the running turns of its user: 0 is that of the turn above it. Null when it has needed none. */
  readonly slot: number | null;
  readonly hasWaitedForSlot: boolean;
  /** Whether it has a work slot: false when too many turns of its user, or of the organization, run. */
  readonly hasWorkSlot: boolean;
  /** Whether it has waited for a work slot as long as it was to. */
  readonly hasWaitedForWorkSlot: boolean;
  /** The turn above it. */
  readonly parentTurnId: string | null;
  /** The turns above this one, root first, and their chats. */
  readonly ancestors: readonly AncestorTurn[];
  /**
   * The task of a sub-agent; null for the agent of a chat. `hasForeignText`: its answer may repeat text from outside.
   */
  readonly task: { readonly callId: string; readonly title: string; readonly hasForeignText: boolean } | null;
  /** The task that it is an attempt at, or reports the end of; null for other turns, and once the task is deleted. */
  readonly worksOn: WorkedTask | null;
  /** The run of a workflow that it is a step of; null for other turns, and once the run was removed. */
  readonly runId: string | null;
  /** Whether it only reports the result of a task in its chat. It has no message of a user. */
  readonly isReport: boolean;
  /** Whether clients of the turn, or of its root turn, are still to be notified that it is working. */
  readonly hasClientsToNotify: boolean;
  /** Whether its chat is that of a thread in a channel. */
  readonly isOfThread: boolean;
  /** Calls without a result. */
  readonly openCalls: readonly OpenCall[];
  /** The number of sub-agents that the turn has delegated to so far. */
  readonly subAgentCount: number;
  /** The tokens of earlier steps. */
  readonly usedTokens: UsedTokens;
}

/** The tokens of several calls, and what they cost in US dollars; null when the price of one is unknown. */
export interface UsedTokens extends Omit<Required<TokenUsage>, 'cacheWriteTokens'> {
  readonly cost: number | null;
}

/** The usage of no call. */
export const NOTHING_USED: UsedTokens = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
  cost: 0,
};

/** The task of a turn as it is now, or for a report as the attempt has left it: another one may have begun since. */
export interface WorkedTask {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  /** What the attempt answered; null before that. */
  readonly output: string | null;
  /** The agent that works on it. */
  readonly agentId: string | null;
}

/** A call that is to run, or to continue after its worker died. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** The label for viewers. */
  readonly label: string;
  readonly effect: Effect;
  /** The chat of the sub-agent that answers it. */
  readonly subChatId: string | null;
  /** The person's decision that it needs; null when it needs none. */
  readonly approval: CallApproval | null;
}

/** The approval of a call, as it is now. */
export interface CallApproval {
  readonly id: string;
  readonly status: ApprovalStatus;
  /** A time that `Date` reads. */
  readonly expiresAt: string;
}
