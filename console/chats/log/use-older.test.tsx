import { afterEach, expect, test } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { ToastProvider } from '../../ui/overlays/toast.tsx';
import { ScriptedSocket } from '../../../test/support/console/scripted-socket.ts';
import { type ChatView, ChatConnection } from '../connection/chat-connection.ts';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { useChatView } from '../use-chat-connection.ts';
import { useOlder } from './message-log.tsx';

const STORED = Array.from({ length: 350 }, (_, index) => messageAt(index));

let connection: ChatConnection;
afterEach(() => connection.close());

test('a chat is read on for as long as somebody stays at its beginning, without scrolling any further', async () => {
  const [until, reads] = [{ messages: 300 }, [] as (string | undefined)[]];
  connection = new ChatConnection({
    chatId: 'chat',
    openSocket: (token) => new ScriptedSocket(token),
    takeToken: async () => ({ value: 'token', expiresAt: Date.now() + 3_600_000 }),
    readMessages: async ({ limit, before }) => {
      reads.push(before);
      const end = before === undefined ? STORED.length : STORED.findIndex(({ id }) => id === before);
      const messages = STORED.slice(Math.max(0, end - limit), end);
      return { messages, olderCount: end - messages.length };
    },
    schedule: (flush) => flush(),
  });
  const { result } = renderHook(
    () => {
      const messages = useChatView(connection, (view: ChatView) => view.messages);
      const turns = useChatView(connection, (view: ChatView) => view.turns);
      return useOlder({ connection, turns, isNear: () => messages.length > 0 && messages.length < until.messages });
    },
    { wrapper: ToastProvider },
  );
  await act(async () => result.current.loadIfNear());
  await act(async () => new Promise((resolve) => setTimeout(resolve)));
  expect(reads).toEqual([undefined, 'message 250', 'message 150']);
  until.messages = 1_000;
  await act(async () => result.current.loadIfNear());
  expect([reads.at(-1), result.current.hasMore]).toEqual(['message 50', false]);
});
