/** The type of the workflow that answers the messages of one chat. */
export const CONVERSATION = 'conversation';

/** The type of the workflow that does the work of one sub-agent: the one turn of its chat. */
export const SUB_AGENT = 'subAgent';

export interface ConversationInput {
  readonly orgId: string;
  readonly chatId: string;
}

/**
 * The arguments of a conversation or a sub-agent. Histories of older releases lack the later fields, and are replayed
 * the way they went.
 */
export interface TurnsInput extends ConversationInput {
  /** Whether a turn is first left to the local activity; false in histories that know only the ordinary one. */
  readonly triesShortTurns?: boolean;
  /** Whether the conversation stays open for further messages; it does unless this is false. */
  readonly lingers?: boolean;
  /** The position of the turn that it is started for. */
  readonly seq?: number;
}

/** The chat whose oldest open turn is to continue, and the turn that its workflow was woken for. */
export interface NextTurnInput extends ConversationInput {
  /** The position of the turn in its chat; absent when it is unknown or there may be others. */
  readonly seq?: number;
}

/**
 * How long an idle conversation stays open at least, in milliseconds: a turn in an open one costs a third of one that
 * must be started.
 */
export const LINGER_MS = 30_000;

/**
 * How long one task of these workflows may take before another worker gets it: more than a short turn, and what a
 * killed worker costs.
 */
export const TASK_TIMEOUT = '6 seconds';

/** Returns the workflow's id: one conversation for each chat, so that its turns run one after the other. */
export function conversationId({ orgId, chatId }: ConversationInput): string {
  return `chat/${orgId}/${chatId}`;
}

/** Returns the workflow's id: one for each sub-agent, by the chat it works in. */
export function subAgentId({ orgId, chatId }: ConversationInput): string {
  return `sub-agent/${orgId}/${chatId}`;
}

/** The state of the chat's next turn once its workflow can do something for it. */
export interface NextTurnResult {
  /** Whether the chat has further open turns, this one included when `next` is present. */
  readonly hasMore: boolean;
  /** The work that the turn waits for; absent when it has ended. */
  readonly next?: NextStep;
}

/** The same; `unfinished` when the turn takes long. */
export type ShortTurnResult = NextTurnResult | 'unfinished';

export type NextStep =
  | {
      readonly kind: 'calls';
      readonly calls: readonly NextCall[];
      /** The number of sub-agents that may work at the same time. */
      readonly maxConcurrency: number;
    }
  | {
      readonly kind: 'wait';
      /** Milliseconds since the epoch. */
      readonly until: number;
    };

/** A call to run: by a tool, or by the sub-agent of a chat. */
export interface NextCall {
  readonly id: string;
  readonly subChatId: string | null;
}

/** A tool call to run. */
export interface RunToolInput {
  readonly orgId: string;
  readonly callId: string;
}
