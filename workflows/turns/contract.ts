/** The type of the workflow that answers the messages of one chat. */
export const CONVERSATION = 'conversation';

/** The type of the workflow that does the work of one sub-agent: the one turn of its chat. */
export const SUB_AGENT = 'subAgent';

export interface ConversationInput {
  readonly orgId: string;
  readonly chatId: string;
}

/**
 * The signal that tells a conversation, or a sub-agent, to look at its rows again. It carries nothing: the rows hold
 * the news.
 */
export const WAKE = 'wake';

/** Returns the workflow's id: one conversation for each chat, so that its turns run one after the other. */
export function conversationId({ orgId, chatId }: ConversationInput): string {
  return `chat/${orgId}/${chatId}`;
}

/** Returns the workflow's id: one for each sub-agent, by the chat it works in. */
export function subAgentId({ orgId, chatId }: ConversationInput): string {
  return `sub-agent/${orgId}/${chatId}`;
}

/** The result of one look at the chat's next turn. */
export interface NextTurnResult {
  /** Whether the chat has further open turns, this one included when `next` is present. */
  readonly hasMore: boolean;
  /** The work that the turn waits for; absent when it has ended. */
  readonly next?: NextStep;
}

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
