import type { Policy } from '../../../domain/permissions/index.ts';
import type { Effect } from '../../../domain/tool-calls/index.ts';
import type { AncestorTurn } from '../ancestors.ts';
import type { TurnParts } from './turn-parts.ts';

/**
 * What a look at a turn works with: the state of the turn, what its user may do now, and the parts that the capabilities
 * give, restricted to what the user may use.
 */
export interface ClaimedTurn extends TurnState, TurnParts {
  /** What the user may do now; null when they are no longer a member of the organization. */
  readonly policy: Policy | null;
}

/** The turn's own row and calls, as the claim has left them. */
export interface TurnState {
  readonly id: string;
  readonly seq: number;
  /** The `seq` of the turn before it in its chat, 0 when there is none. */
  readonly afterSeq: number;
  /** With `step` it fences: once a later attempt or step has begun, what was begun with these can store nothing. */
  readonly attempt: number;
  /** The model step to be taken, from 0: as many are stored. While calls are open it is still the step before. */
  readonly step: number;
  /** How often this step was begun since it last waited. */
  readonly stepTries: number;
  /** How often calls of the turn were begun anew because the process that ran them had ended in the middle. */
  readonly lostCallTries: number;
  readonly userId: string;
  /** Asked to stop, itself or with one of the turns above it. */
  readonly isInterrupted: boolean;
  /** A sub-agent whose time is up. */
  readonly isOverdue: boolean;
  /** Milliseconds that a sub-agent has left; null for the agent of a chat. */
  readonly remainingMs: number | null;
  readonly isChatDeleted: boolean;
  /** When it began to wait for a provider, until a step is stored. */
  readonly waitingSince: Date | null;
  /** Its slot among the running turns of its user: 0 is that of the turn above it. Null when it has needed none. */
  readonly slot: number | null;
  readonly hasWaitedForSlot: boolean;
  /** Whether it may be at work: false when too many turns of its user, or of the organization, are. */
  readonly hasPlace: boolean;
  readonly hasWaitedForPlace: boolean;
  /** The turn above it. */
  readonly parentTurnId: string | null;
  /** The turns above this one, root first, and their chats. */
  readonly ancestors: readonly AncestorTurn[];
  /** What a sub-agent was asked to do; null for the agent of a chat. `hasForeignText`: its answer may repeat text from outside. */
  readonly task: { readonly callId: string; readonly title: string; readonly hasForeignText: boolean } | null;
  /** Calls without a result. */
  readonly openCalls: readonly OpenCall[];
  /** Sub-agents that the turn has handed work to so far. */
  readonly subAgentCount: number;
  /** Tokens of the steps before. */
  readonly usedTokens: { readonly inputTokens: number; readonly outputTokens: number; readonly estimated: boolean };
}

/** A call that is to be run, or went on when its worker died. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly effect: Effect;
  /** The chat of the sub-agent that answers it. */
  readonly subChatId: string | null;
}
