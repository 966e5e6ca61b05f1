import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Draft, Drafts } from '../../core/drafts.ts';
import type { Upload } from '../../ui/files/uploads.ts';
import { keepPending } from '../files/use-attachments.ts';
import { firstInOutbox } from './outbox.ts';

/** What is kept of the messages of a chat that are not sent yet. */
interface Unsent {
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

/** The first message of a chat. */
export interface FirstMessage {
  readonly content: string;
  /** Files that it is about; they are not uploaded yet. */
  readonly files: readonly File[];
}

/**
 * Leaves the first message of a chat to the page of the chat, which sends it as it sends what was left unsent by a page
 * before. It is in memory, too, for browsers that keep nothing. One with files is a draft there until these are
 * uploaded.
 */
export function handOver(keepers: Keepers, chatId: string, { content, files }: FirstMessage): void {
  if (files.length > 0) {
    keepPending(keepers.cache, { chatId }, files);
    keepers.drafts.write(`chat.${chatId}`, content);
    keepers.cache.setQueryData(dueKey(chatId), content);
    return;
  }
  const first = firstInOutbox(content);
  unsentOf(keepers, chatId).write(first);
  keepers.cache.setQueryData(handedKey(chatId), first);
}

/** Returns the draft that is to be sent once its files are uploaded; undefined when there is none. */
function readDue(cache: QueryClient, chatId: string): string | undefined {
  return cache.getQueryData<string>(dueKey(chatId));
}

/** Notes that a draft was sent, or is sent by hand. */
function forgetDue(cache: QueryClient, chatId: string): void {
  cache.removeQueries({ queryKey: dueKey(chatId), exact: true });
}

function handedKey(chatId: string) {
  return ['chats', 'first message', chatId] as const;
}

function dueKey(chatId: string) {
  return ['chats', 'due message', chatId] as const;
}

interface DueOptions {
  readonly chatId: string;
  readonly draft: Draft;
  readonly files: readonly Upload[];
  /** Whether it can be sent: the outbox and the files are known. */
  readonly isOpen: boolean;
  readonly send: () => void;
}

/** Sends the message that a chat was begun with once its files are uploaded, unless its user changes it before. */
export function useDueMessage({ chatId, draft, files, isOpen, send }: DueOptions): void {
  const cache = useQueryClient();
  const [due, setDue] = useState(() => readDue(cache, chatId));
  const written = useSyncExternalStore(draft.subscribe, () => (due === undefined ? '' : draft.read()));
  const newest = useRef(send);
  const isRestored = useRef(false);
  useEffect(() => {
    newest.current = send;
  });
  const isUnchanged = written === due && files.length > 0;
  const isReady = isUnchanged && files.every(({ state }) => state === 'ready');
  useEffect(() => {
    if (due === undefined || !isOpen || (isUnchanged && !isReady)) return;
    // A browser that keeps nothing has no draft of it.
    if (written === '' && !isRestored.current) {
      isRestored.current = true;
      draft.write(due);
      return;
    }
    forgetDue(cache, chatId);
    // oxlint-disable-next-line react/set-state-in-effect -- it is sent once, whatever is typed after it
    setDue(undefined);
    if (isReady) newest.current();
  }, [cache, chatId, due, draft, written, isOpen, isUnchanged, isReady]);
}
