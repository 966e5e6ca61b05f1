import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { type Api, pageOf } from '../core/http/api-client.ts';
import { problemOfBody } from '../core/http/problem.ts';
import { useApi, useOrgId, useSession } from '../core/session/session-context.tsx';
import { SessionEnded } from '../core/socket/lasting-socket.ts';
import { type ChatView, ChatConnection } from './connection/chat-connection.ts';
import { SlowSocket } from './connection/slow-socket.ts';

const HIDDEN_FLUSH_MS = 250;
/** A little less than two frames of 60 a second: while much comes, every second one shows it. */
const FLUSH_EVERY_MS = 25;

/** Opens a chat for as long as the component is shown; undefined until it is. */
export function useChatConnection(chatId: string): ChatConnection | undefined {
  const [session, api, orgId, cache] = [useSession(), useApi(), useOrgId(), useQueryClient()];
  const [connection, setConnection] = useState<ChatConnection>();
  useEffect(() => {
    const opened = new ChatConnection({
      chatId,
      openSocket: (token, isSlow) =>
        isSlow
          ? new SlowSocket({ open: async (after, signal) => openStream(api, { chatId, after, signal }) })
          : new WebSocket(socketAddress(chatId), ['everturn.v1', `bearer.${token}`]),
      takeToken: async (worn) => {
        const value = await session.accessToken(worn);
        if (value === undefined) throw new SessionEnded();
        return { value, expiresAt: session.expiresAt ?? Date.now() };
      },
      readMessages: async ({ limit, before }) => {
        const query = before === undefined ? { limit, newest: true } : { limit, before };
        const path = { chat_id: chatId };
        const { items, total } = await pageOf(api.GET('/api/chats/{chat_id}/messages', { params: { path, query } }));
        return { messages: items, olderCount: Math.max(0, total - items.length) };
      },
      schedule: pacedFrames(),
      onTurnChange: () => void cache.invalidateQueries({ queryKey: [orgId, 'chats'] }),
    });
    // It holds a socket, so it is opened where it is closed.
    // oxlint-disable-next-line react/set-state-in-effect
    setConnection(opened);
    const wake = () => {
      if (!document.hidden) opened.wake();
    };
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
    const unsubscribe = session.subscribe(() => {
      if (session.state === 'open') opened.wake();
    });
    return () => {
      unsubscribe();
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
      opened.close();
    };
  }, [chatId, session, api, orgId, cache]);
  return connection;
}

/** Returns a part of what is known of a chat, and renders anew when that changes. */
export function useChatView<T>(connection: ChatConnection, select: (view: ChatView) => T): T {
  const subscribe = useCallback((listener: () => void) => connection.subscribe(listener), [connection]);
  return useSyncExternalStore(subscribe, () => select(connection.view));
}

/** Returns what runs work before the next frame, some 30 times a second at most, and now and then in a hidden tab. */
function pacedFrames(): (work: () => void) => void {
  let last = -Infinity;
  return (work) => {
    const run = () => {
      last = performance.now();
      work();
    };
    const waitMs = last + FLUSH_EVERY_MS - performance.now();
    if (document.hidden) setTimeout(run, HIDDEN_FLUSH_MS);
    else if (waitMs > 0) setTimeout(() => requestAnimationFrame(run), waitMs);
    else requestAnimationFrame(run);
  };
}

function socketAddress(chatId: string): string {
  return new URL(`/ws/chat/${chatId}`, location.origin.replace(/^http/, 'ws')).href;
}

interface StreamOptions {
  readonly chatId: string;
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

// Undefined while no turn runs; a chat that is gone is answered with the same status, and other words.
async function openStream(api: Api, { chatId, after, signal }: StreamOptions) {
  const { data, error, response } = await api.GET('/api/chats/{chat_id}/stream', {
    params: { path: { chat_id: chatId }, header: after === undefined ? {} : { 'Last-Event-ID': after } },
    parseAs: 'stream',
    signal,
  });
  if (response.ok && data !== undefined && data !== null) return data;
  const problem = problemOfBody(response, error);
  if (problem.status === 404 && !problem.message.startsWith('Chat')) return undefined;
  throw problem;
}
