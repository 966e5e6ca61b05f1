import { useEffect, useRef, useState } from 'react';
import { type Drafts, useDrafts } from '../../core/drafts.ts';
import type { ChatTurn } from '../connection/merge-messages.ts';

/** Up to when somebody has seen a chat, by the chat's id: ISO 8601 times, those looked at last at the end. */
type Seen = Readonly<Record<string, string>>;

type Keeper = Pick<Drafts, 'read' | 'write'>;
const KEY = 'chats.seen';

/** Up to when each chat had changed when it was open last: a chat that has changed since is new in the list. */
const OPENED_KEY = 'chats.opened';

/** Chats that are kept: of those looked at last. */
const MAX_CHATS = 300;

/** Returns up to when somebody has seen a chat in this browser; undefined when that is not known. */
export function seenUntil(keeper: Keeper, chatId: string): string | undefined {
  return readSeen(keeper, KEY)[chatId];
}

/** Keeps up to when somebody has seen a chat. An earlier time than the kept one changes nothing. */
export function keepSeen(keeper: Keeper, chatId: string, time: string): void {
  keep(keeper, KEY, chatId, time);
}

/** Keeps that somebody has a chat open that has changed last at a time. */
export function keepOpened(keeper: Keeper, chatId: string, changedAt: string): void {
  keep(keeper, OPENED_KEY, chatId, changedAt);
}

/** Returns what says whether a chat has changed since it was open last in this browser; false when it never was. */
export function newsIn(keeper: Keeper): (chatId: string, changedAt: string) => boolean {
  const opened = readSeen(keeper, OPENED_KEY);
  return (chatId, changedAt) => {
    const { [chatId]: time } = opened;
    return time !== undefined && Date.parse(changedAt) > Date.parse(time);
  };
}

function keep(keeper: Keeper, key: string, chatId: string, time: string): void {
  const { [chatId]: before, ...others } = readSeen(keeper, key);
  if (before !== undefined && Date.parse(before) >= Date.parse(time)) return;
  const newest = [...Object.entries(others), [chatId, time] as const].slice(-MAX_CHATS);
  keeper.write(key, JSON.stringify(Object.fromEntries(newest)));
}

/** Returns the first turn whose answer was stored after a time. */
export function firstUnread(turns: readonly ChatTurn[], since: string | undefined): string | undefined {
  if (since === undefined) return undefined;
  const time = Date.parse(since);
  return turns.find(({ answer }) => answer !== undefined && Date.parse(answer.created_at) > time)?.turnId;
}

function readSeen(keeper: Keeper, key: string): Seen {
  try {
    const kept: unknown = JSON.parse(keeper.read(key) || '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Seen) : {};
  } catch {
    return {};
  }
}

interface UnreadOptions {
  readonly chatId: string;
  /** Whether the turns are known. */
  readonly isLoaded: boolean;
  readonly turns: readonly ChatTurn[];
  /** Whether the end of the chat is in sight. */
  readonly isAtEnd: boolean;
}

/**
 * Returns the first turn that was unread when the chat was opened, or the tab was looked at again. Answers that come
 * while somebody looks are read.
 */
export function useUnread({ chatId, isLoaded, turns, isAtEnd }: UnreadOptions): string | undefined {
  const drafts = useDrafts();
  const [unread, setUnread] = useState<string>();
  const newest = useRef(turns);
  useEffect(() => {
    newest.current = turns;
  });
  useEffect(() => {
    if (!isLoaded) return undefined;
    const update = () => {
      if (!document.hidden) setUnread(firstUnread(newest.current, seenUntil(drafts, chatId)));
    };
    update();
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, [isLoaded, drafts, chatId]);
  const last = turns.findLast(({ answer }) => answer !== undefined)?.answer?.created_at;
  useEffect(() => {
    if (last === undefined || !isLoaded) return undefined;
    const keep = () => {
      if (!document.hidden && isAtEnd) keepSeen(drafts, chatId, last);
    };
    keep();
    document.addEventListener('visibilitychange', keep);
    return () => document.removeEventListener('visibilitychange', keep);
  }, [last, isLoaded, isAtEnd, drafts, chatId]);
  return unread;
}
