/** Name of the workflow that answers the messages of one chat. */
export const CONVERSATION = 'conversation';

/** Name of the workflow that does the work of one sub-agent: the one turn of its chat. */
export const SUB_AGENT = 'subAgent';

export interface ConversationInput {
  readonly orgId: string;
  readonly chatId: string;
}

/** Tells a conversation, or a sub-agent, to look at its rows again. Carries nothing: the rows say what is new. */
export const WAKE = 'wake';

/** One conversation a chat, so that its turns run one after the other. */
export function conversationId({ orgId, chatId }: ConversationInput): string {
  return `chat/${orgId}/${chatId}`;
}

/** One workflow a sub-agent, by the chat it works in. */
export function subAgentId({ orgId, chatId }: ConversationInput): string {
  return `sub-agent/${orgId}/${chatId}`;
}

/** What a look at the chat's next turn came to. */
export interface NextTurnResult {
  /** Whether the chat has further open turns; this one is among them when `next` is there. */
  readonly hasMore: boolean;
  /** What the turn needs before it can go on; absent when it has ended. */
  readonly next?: NextStep;
}

export type NextStep =
  | {
      readonly kind: 'calls';
      readonly calls: readonly NextCall[];
      /** Sub-agents that may work at the same time. */
      readonly maxConcurrency: number;
    }
  | {
      readonly kind: 'wait';
      /** Milliseconds since the epoch. */
      readonly until: number;
    };

/** A call to be run: by a tool, or by the sub-agent of a chat. */
export interface NextCall {
  readonly id: string;
  readonly subChatId: string | null;
}

/** A tool call to be run. */
export interface RunToolInput {
  readonly orgId: string;
  readonly callId: string;
}
