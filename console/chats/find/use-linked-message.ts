import { useEffect, useState } from 'react';
import { useToast } from '../../ui/overlays/toast.tsx';
import type { ChatConnection } from '../connection/chat-connection.ts';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import type { Finding } from './find-bar.tsx';

/** How long the turn that an address leads to is marked. */
const MARKED_MS = 4_000;

/**
 * Returns the turn of the message that the address of the page names, for some seconds after it was found. Older
 * messages are read as far as that takes.
 */
export function useLinkedMessage(connection: ChatConnection, messageId: string | undefined): Finding | undefined {
  const text = useChatsText();
  const toast = useToast();
  const isLoaded = useChatView(connection, (view) => view.isLoaded);
  const [turnId, setTurnId] = useState<string>();
  useEffect(() => {
    if (messageId === undefined || !isLoaded) return undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (found: string | undefined) => {
      if (isOver) return;
      if (found === undefined) toast(text.messageGone, 'failed');
      setTurnId(found);
      timer = setTimeout(() => setTurnId(undefined), MARKED_MS);
    };
    turnOf(connection, messageId, () => isOver).then(show, ({ message }: Error) => toast(message, 'failed'));
    return () => {
      isOver = true;
      clearTimeout(timer);
      setTurnId(undefined);
    };
  }, [connection, isLoaded, messageId, text, toast]);
  return turnId === undefined ? undefined : { words: '', turnId };
}

async function turnOf(connection: ChatConnection, messageId: string, isOver: () => boolean) {
  for (;;) {
    const { messages, olderCount } = connection.view;
    const found = messages.find(({ id }) => id === messageId);
    if (found !== undefined || olderCount === 0 || isOver()) return found?.turn_id;
    await connection.loadOlder();
    if (connection.view.messages === messages) return undefined;
  }
}
