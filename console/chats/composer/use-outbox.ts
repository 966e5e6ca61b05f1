import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useDrafts } from '../../core/drafts.ts';
import type { Api } from '../../core/http/api-client.ts';
import { problemOfBody } from '../../core/http/problem.ts';
import { useApi, useSession } from '../../core/session/session-context.tsx';
import type { Message } from '../connection/merge-messages.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import { type OutgoingMessage, Outbox } from './outbox.ts';
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

/** A message on its way. */
interface NewMessage {
  readonly chatId: string;
  readonly content: string;
  readonly fileIds: readonly string[];
  /** The same id makes no second turn, however often it is sent. */
  readonly clientMessageId: string;
}

const MAX_HEAD_CHARACTERS = 20_000;

/**
 * Sends a message. Resolves when it is stored; its answer is watched over the chat's socket. Throws a `Problem` when it
 * is rejected, or when it is not known whether it was stored.
 */
export async function sendMessage(api: Api, message: NewMessage): Promise<void> {
  const { chatId, content, fileIds, clientMessageId } = message;
  const { data, error, response } = await api.POST('/api/chats/{chat_id}/stream', {
    params: { path: { chat_id: chatId } },
    body: { content, client_message_id: clientMessageId, ...(fileIds.length > 0 && { file_ids: [...fileIds] }) },
    parseAs: 'stream',
  });
  if (!response.ok || data === undefined || data === null) throw problemOfBody(response, error);
  await readStart(data);
}

// The first event says that the message is stored. Nobody waits for the others.
async function readStart(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let head = '';
  try {
    while (head.length < MAX_HEAD_CHARACTERS) {
      const { value, done } = await reader.read();
      if (done) break;
      head += decoder.decode(value, { stream: true });
      if (/^event: ?stream_start$/m.test(head)) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  throw problemOfBody({ status: 503, headers: new Headers() }, undefined);
}
