import {
  type Query,
  type QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { answerOf, pageOf } from '../core/http/api-client.ts';
import { useSend } from '../core/http/use-answer.ts';
import { Problem } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { ChatConnection } from './connection/chat-connection.ts';
import type { Chat } from './phase.ts';

const LIVE_MS = 10_000;
const QUIET_MS = 5_000;

/** Which chats are listed: those that people have begun, or also those of runs, issues and programs. */
export type ListedChats = 'person' | 'all';

/** Returns the newest chats; read again now and then while one of them is at work and no events tell of it. */
export function useChats(listed: ListedChats = 'all'): UseQueryResult<{ items: Chat[]; total: number }> {
  const [api, orgId, isLive] = [useApi(), useOrgId(), useLive()];
  return useQuery({
    queryKey: [orgId, 'chats', 'list', listed],
    queryFn: async ({ signal }) => {
      const query = { limit: 200, ...(listed === 'person' && { origin: listed }) };
      return pageOf(api.GET('/api/chats', { params: { query }, signal }));
    },
    refetchInterval: ({ state: { data, error } }) =>
      !isLive && data?.items.some(({ status }) => status !== 'idle') === true && intervalAfter(error, LIVE_MS),
  });
}

/** Returns a chat. While it is at work it is read again: its waits are told nowhere else. */
export function useChat(chatId: string): UseQueryResult<Chat> {
  const [api, orgId, cache, isLive] = [useApi(), useOrgId(), useQueryClient(), useLive()];
  const listed = () => listedChat(cache, { orgId, chatId, isLive });
  return useQuery({
    queryKey: [orgId, 'chats', 'one', chatId],
    // What a list has told of it need not be asked for again, while that is new.
    initialData: () => listed()?.chat,
    initialDataUpdatedAt: () => listed()?.readAt,
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/chats/{chat_id}', { params: { path: { chat_id: chatId } }, signal })),
    refetchInterval: ({ state: { data, error } }) =>
      data !== undefined && data.status !== 'idle' && intervalAfter(error, QUIET_MS),
  });
}

const LISTS: ReadonlySet<unknown> = new Set(['list', 'recent']);

// Events keep lists as they are.
function listedChat(cache: QueryClient, { orgId, chatId, isLive }: ListedQuery) {
  const lists = cache.getQueryCache().findAll({
    queryKey: [orgId, 'chats'],
    predicate: ({ queryKey }) => LISTS.has(queryKey[2]),
  });
  const found = lists.flatMap(({ state: { data, dataUpdatedAt, isInvalidated } }) => {
    const chats = (Array.isArray(data) ? data : (data as { items?: unknown[] } | undefined)?.items) as
      | Chat[]
      | undefined;
    const chat = chats?.find(({ id }) => id === chatId);
    return chat === undefined ? [] : [{ chat, readAt: isLive && !isInvalidated ? Date.now() : dataUpdatedAt }];
  });
  return found.toSorted((one, other) => other.readAt - one.readAt)[0];
}

interface ListedQuery {
  readonly orgId: string;
  readonly chatId: string;
  readonly isLive: boolean;
}

/** Returns after how many milliseconds a query is asked again: what was refused is not by itself. */
export function intervalAfter(error: Error | null, everyMs: number): number | false {
  if (error === null) return everyMs;
  if (!(error instanceof Problem) || !error.isPassing) return false;
  return Math.max(everyMs, (error.retryAfterSeconds ?? 0) * 1_000);
}

/** Returns what changes a chat, and lets the lists be read again. */
export function useChatChanges(chatId: string) {
  const params = { path: { chat_id: chatId } };
  const options = { reads: [['chats']] };
  const rename = useSend(
    async (api, title: string) => api.PATCH('/api/chats/{chat_id}/title', { params, body: { title } }),
    options,
  );
  const stop = useSend(
    async (api, id: string) => api.POST('/api/chats/{chat_id}/interrupt', { params: { path: { chat_id: id } } }),
    options,
  );
  const chain = useSend(
    async (api, id: string | null) =>
      api.PATCH('/api/chats/{chat_id}/provider-chain', { params, body: { provider_chain_id: id } }),
    options,
  );
  const share = useSend(
    async (api, shared: boolean) => api.PATCH('/api/chats/{chat_id}/sharing', { params, body: { shared } }),
    options,
  );
  return { rename, stop, chain, share };
}

/** Returns what deletes a chat, and what brings it back. */
export function useDeleteChat(chatId: string) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const path = { chat_id: chatId };
  const readLists = async () => cache.invalidateQueries({ queryKey: [orgId, 'chats'], predicate: isOfNoOne });
  const remove = useMutation({
    mutationFn: async () => answerOf(api.DELETE('/api/chats/{chat_id}', { params: { path } })),
    onSuccess: readLists,
  });
  const restore = async () => {
    await answerOf(api.PATCH('/api/chats/{chat_id}/restore', { params: { path } }));
    await cache.invalidateQueries({ queryKey: [orgId, 'chats'] });
  };
  return { remove, restore };
}

// A chat that is gone is not asked for again.
function isOfNoOne({ queryKey }: Query): boolean {
  return queryKey[2] !== 'one';
}

/** Messages that are left out of the conversation, or put back. */
interface Exclusion {
  readonly ids: readonly string[];
  readonly excluded: boolean;
  /** Whether all after them go the same way. */
  readonly fromHereOn?: boolean;
}

/** Returns what leaves messages of a chat out of the conversation, or puts them back. */
export function useExclude(chatId: string, connection: ChatConnection) {
  const api = useApi();
  return useMutation({
    mutationFn: async ({ ids, excluded, fromHereOn = false }: Exclusion) => {
      for (const id of ids) {
        const path = { chat_id: chatId, message_id: id };
        const call = api.PATCH('/api/chats/{chat_id}/messages/{message_id}/excluded', {
          params: { path },
          body: { excluded, ...(fromHereOn && { from_here_on: true }) },
        });
        connection.takeMessage(await answerOf(call));
        if (fromHereOn) connection.excludeAfter(id, excluded);
      }
    },
  });
}

/** Returns what takes a message back that waits, or changes its text; 409 once it is being answered. */
export function useQueueChanges(chatId: string, connection: ChatConnection) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const pathOf = (id: string) => ({ params: { path: { chat_id: chatId, message_id: id } } });
  const withdraw = useMutation({
    mutationFn: async (id: string) =>
      answerOf(api.POST('/api/chats/{chat_id}/messages/{message_id}/withdraw', pathOf(id))),
    // Its empty answer is stored with it.
    onSettled: () => connection.refresh(),
    onSuccess: async () => cache.invalidateQueries({ queryKey: [orgId, 'chats'] }),
  });
  const change = useMutation({
    mutationFn: async ({ id, content }: { id: string; content: string }) =>
      answerOf(api.PATCH('/api/chats/{chat_id}/messages/{message_id}', { ...pathOf(id), body: { content } })),
    onSuccess: (message) => connection.takeMessage(message),
    onError: () => connection.refresh(),
  });
  return { withdraw, change };
}

/** Returns what begins another chat with what was said in this one up to a message; it results in the new chat. */
export function useFork(chatId: string) {
  const params = { path: { chat_id: chatId } };
  return useSend(
    async (api, id: string) => api.POST('/api/chats/{chat_id}/fork', { params, body: { message_id: id } }),
    { reads: [['chats', 'list']] },
  );
}
