import { useEffect, useRef, useState } from 'react';
import { useDrafts } from '../../core/drafts.ts';
import type { ChatTurn } from '../connection/index.ts';
import { firstUnread, keepSeen, seenUntil } from './seen.ts';

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
    const look = () => {
      if (!document.hidden) setUnread(firstUnread(newest.current, seenUntil(drafts, chatId)));
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
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
