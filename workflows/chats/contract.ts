/** Name of the workflow that answers the messages of one chat. */
export const CONVERSATION = 'conversation';

export interface ConversationInput {
  readonly orgId: string;
  readonly chatId: string;
}

/** Tells a conversation that the chat has an open turn. Carries nothing: the rows say which. */
export const WAKE = 'wake';

/** One conversation a chat, so that its turns run one after the other. */
export function conversationId({ orgId, chatId }: ConversationInput): string {
  return `chat/${orgId}/${chatId}`;
}

/** What an attempt at the chat's next turn came to. */
export interface NextTurnResult {
  /** Whether the chat has further open turns. */
  readonly hasMore: boolean;
}
