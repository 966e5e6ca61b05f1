import { createContext, useContext } from 'react';
import type { ChatTurn } from '../connection/merge-messages.ts';

/** What somebody can do to the turns of an open chat. Each says by itself when it did not work. */
export interface ChatActions {
  /** Whether the chat is one's own: others only read it. */
  readonly isOwner: boolean;
  /** Stops the running turn of a chat: this one, or that of a sub-agent. */
  stop(chatId: string): void;
  /** Puts a question into the composer; sending leaves it and all after it out. */
  edit(turn: ChatTurn): void;
  /** Asks the same again, and leaves out what was said since. */
  retry(turn: ChatTurn): void;
  /** Leaves messages out of the conversation, or puts them back. */
  exclude(messageIds: readonly string[], excluded: boolean): void;
  /** Leaves a message and all after it out of the conversation. */
  excludeFrom(messageId: string): void;
  /** Begins another chat with what was said up to a message. */
  fork(messageId: string): void;
}

const Actions = createContext<ChatActions | undefined>(undefined);

export const ChatActionsProvider = Actions.Provider;

/** Returns what somebody can do to the turns of the open chat. */
export function useChatActions(): ChatActions {
  const actions = useContext(Actions);
  if (actions === undefined) throw new Error('useChatActions needs a ChatActionsProvider around it');
  return actions;
}
