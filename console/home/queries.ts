import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Chat = components['schemas']['Chat'];

const RECENT = 8;
const LIVE_MS = 10_000;

/** Returns the newest chats; without events they are looked at every ten seconds while one of them works. */
export function useRecentChats(): UseQueryResult<Chat[]> {
  const [api, orgId, isLive] = [useApi(), useOrgId(), useLive()];
  return useQuery({
    queryKey: [orgId, 'chats', 'recent'],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/chats', { params: { query: { limit: RECENT } }, signal })),
    refetchInterval: ({ state }) =>
      !isLive && state.data?.some(({ status }) => status !== 'idle') === true ? LIVE_MS : false,
  });
}
