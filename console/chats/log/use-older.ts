import { useEffect, useRef, useState } from 'react';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { ChatConnection } from '../connection/chat-connection.ts';
import type { ChatTurn } from '../connection/merge-messages.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';

interface OlderOptions {
  readonly connection: ChatConnection;
  readonly turns: readonly ChatTurn[];
  /** Whether the first known message is in sight, or nearly so. */
  isNear(): boolean;
}

/** Returns what reads the messages before those that are known. After a failure only `load` tries again. */
export function useOlder({ connection, turns, isNear }: OlderOptions) {
  const text = useChatsText();
  const toast = useToast();
  const hasMore = useChatView(connection, ({ olderCount }) => olderCount > 0);
  const [state, setState] = useState<'idle' | 'reading' | 'failed'>('idle');
  const load = () => {
    if (state === 'reading') return;
    setState('reading');
    connection
      .loadOlder()
      .then(() => setState('idle'))
      .catch(() => {
        setState('failed');
        toast(text.olderFailed, 'failed');
      });
  };
  const loadIfNear = () => {
    if (hasMore && state === 'idle' && isNear()) load();
  };
  const newest = useRef(loadIfNear);
  useEffect(() => {
    newest.current = loadIfNear;
  });
  // Whoever came to the beginning while a page was on its way scrolls no further.
  useEffect(() => {
    if (turns.length > 0 && state === 'idle') newest.current();
  }, [turns, state]);
  return {
    hasMore,
    isReading: state === 'reading',
    load,
    /** Is called whenever somebody scrolls. */
    loadIfNear,
  };
}
