import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useAnswer } from '../core/http/use-answer.ts';
import { useCan } from '../core/permissions.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Chat = components['schemas']['Chat'];
export type Run = components['schemas']['ListedRun'];

/** More than are listed: those at work and those that wait are among them. */
const READ = 20;
const MAX_RUNS = 5;
const LIVE_MS = 10_000;
const DAY_MS = 86_400_000;

/** Returns the newest chats of people; without events they are looked at every ten seconds while one of them works. */
export function useRecentChats(): UseQueryResult<Chat[]> {
  const isLive = useLive();
  return useAnswer(['chats', 'recent'], '/api/chats', {
    params: { query: { origin: 'person', limit: READ } },
    refetchInterval: ({ state }) =>
      !isLive && state.data?.some(({ status }) => status !== 'idle') === true ? LIVE_MS : false,
  });
}

/** Returns the newest runs that have failed in the last day. */
export function useFailedRuns(): UseQueryResult<Run[]> {
  const [api, orgId, maySee] = [useApi(), useOrgId(), useCan('schedules.view')];
  return useQuery({
    queryKey: [orgId, 'runs', 'failed'],
    enabled: maySee,
    queryFn: async ({ signal }) => {
      // The day before each read, not before the first one.
      const from = new Date(Date.now() - DAY_MS).toISOString();
      return answerOf(api.GET('/api/runs', { params: { query: { status: 'failed', from, limit: MAX_RUNS } }, signal }));
    },
  });
}

/** Returns runs that are at work; without events they are looked at every ten seconds. */
export function useRunningRuns(): UseQueryResult<Run[]> {
  const isLive = useLive();
  const maySee = useCan('schedules.view');
  return useAnswer(['runs', 'running'], '/api/runs', {
    params: { query: { status: 'running', limit: MAX_RUNS } },
    enabled: maySee,
    refetchInterval: isLive ? false : LIVE_MS,
  });
}
