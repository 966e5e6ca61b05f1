import type { QueryClient } from '@tanstack/react-query';
import type { Drafts } from '../../core/drafts.ts';
import { firstInOutbox } from './outbox.ts';

/** What is kept of the messages of a chat that are not sent yet. */
export interface Unsent {
  read(): string;
  write(text: string): void;
}

/** Where messages are kept that are not sent yet. */
interface Keepers {
  readonly cache: QueryClient;
  readonly drafts: Pick<Drafts, 'read' | 'write'>;
}

/** Returns what is kept of a chat's messages that are not sent yet: by the browser, or handed over in memory. */
export function unsentOf({ cache, drafts }: Keepers, chatId: string): Unsent {
  const key = `chat.${chatId}.outbox`;
  return {
    read: () => drafts.read(key) || (cache.getQueryData<string>(handedKey(chatId)) ?? ''),
    write: (text) => {
      cache.removeQueries({ queryKey: handedKey(chatId), exact: true });
      drafts.write(key, text);
    },
  };
}

/**
 * Leaves the first message of a chat to the page of the chat, which sends it as it sends what was left unsent by a page
 * before. It is in memory, too, for browsers that keep nothing.
 */
export function handOver(keepers: Keepers, chatId: string, content: string): void {
  const first = firstInOutbox(content);
  unsentOf(keepers, chatId).write(first);
  keepers.cache.setQueryData(handedKey(chatId), first);
}

function handedKey(chatId: string) {
  return ['chats', 'first message', chatId] as const;
}
