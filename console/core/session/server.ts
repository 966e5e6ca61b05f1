import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../../openapi.ts';
import { answerOf } from '../http/api-client.ts';
import { useApi } from './session-context.tsx';

/** The key of what the server tells strangers. */
export const SERVER = ['server'];

/** Returns what the server tells strangers: its version, and who may register. */
export function useServer(): UseQueryResult<components['schemas']['Server']> {
  const api = useApi();
  return useQuery({
    queryKey: SERVER,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/server', { signal })),
    staleTime: 60_000,
  });
}
