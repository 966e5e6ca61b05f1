import { useState } from 'react';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { ChatConnection } from '../connection/index.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';

/** Returns what reads the messages before those that are known. After a failure only `load` tries again. */
export function useOlder(connection: ChatConnection) {
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
  return {
    hasMore,
    isReading: state === 'reading',
    load,
    /** Is called when the first known message comes into sight. */
    loadByItself: () => {
      if (hasMore && state === 'idle') load();
    },
  };
}
