import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Chat = components['schemas']['Chat'];
export type ListedRun = components['schemas']['ListedRun'];

/** More than are shown as left: those at work are among them. */
const RECENT = 20;
const LIVE_MS = 10_000;

const FAILED = { status: 'failed', limit: 3 } as const;
/** A run that failed longer ago is history. */
const FAILED_WITHIN_MS = 7 * 86_400_000;

/** Returns the newest runs that have failed in the last week; asks for nothing while it is off. */
export function useFailedRuns(enabled: boolean): UseQueryResult<ListedRun[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'runs', 'failed lately'],
    enabled,
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - FAILED_WITHIN_MS).toISOString();
      return answerOf(api.GET('/api/runs', { params: { query: { ...FAILED, from } }, signal }));
    },
  });
}

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
