import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useDrafts } from '../../core/drafts.ts';
import { useApi, useSession } from '../../core/session/session-context.tsx';
import type { ChatConnection, Message } from '../connection/index.ts';
import { sendMessage } from './send-message.ts';
import { Outbox, type OutgoingMessage } from './outbox.ts';
import { unsentOf } from './unsent.ts';

const NOTHING: readonly OutgoingMessage[] = [];
const noMessages = () => NOTHING;
const never = () => () => undefined;

/** Returns the messages of a chat that are on their way, and what sends them; undefined until it is open. */
export function useOutbox(
  chatId: string,
  connection: ChatConnection,
  messages: readonly Message[],
): { readonly outbox: Outbox | undefined; readonly outgoing: readonly OutgoingMessage[] } {
  const [api, session, cache, drafts] = [useApi(), useSession(), useQueryClient(), useDrafts()];
  const [outbox, setOutbox] = useState<Outbox>();
  useEffect(() => {
    const opened = new Outbox({
      send: async (message) => sendMessage(api, { chatId, ...message }),
      onSent: () => connection.refresh(),
      store: unsentOf({ cache, drafts }, chatId),
    });
    // It sends as long as it is open, so it is opened where it is closed.
    // oxlint-disable-next-line react/set-state-in-effect
    setOutbox(opened);
    const unsubscribe = session.subscribe(() => {
      if (session.state === 'open') opened.resume();
    });
    return () => {
      unsubscribe();
      opened.close();
    };
  }, [api, session, cache, drafts, chatId, connection]);
  const outgoing = useSyncExternalStore(outbox?.subscribe ?? never, outbox?.messages ?? noMessages);
  useEffect(() => {
    outbox?.remove(new Set(messages.flatMap(({ client_message_id: id }) => id ?? [])));
  }, [outbox, messages]);
  return { outbox, outgoing };
}
