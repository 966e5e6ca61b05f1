import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf } from '../../core/http/api-client.ts';
import { CURRENT_USER } from '../../core/session/current-user.ts';
import { useApi } from '../../core/session/session-context.tsx';
import type { components } from '../../openapi.ts';

export type Session = components['schemas']['Session'];
export type Device = components['schemas']['Device'];

const SESSIONS = [...CURRENT_USER, 'sessions'];
const DEVICES = [...CURRENT_USER, 'devices'];

/** Returns where the user is signed in. */
export function useSessions(): UseQueryResult<Session[]> {
  const api = useApi();
  return useQuery({
    queryKey: SESSIONS,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/users/me/sessions', { signal })),
  });
}

/** Returns the devices of the user, in all organizations. */
export function useDevices(): UseQueryResult<Device[]> {
  const api = useApi();
  return useQuery({
    queryKey: DEVICES,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/users/me/devices', { signal })),
  });
}

/** Returns what ends sign-ins, and signs devices out. */
export function useSignInActions() {
  const [api, cache] = [useApi(), useQueryClient()];
  return {
    endSession: async (id: string) => {
      await answerOf(api.DELETE('/api/users/me/sessions/{session_id}', { params: { path: { session_id: id } } }));
      await cache.invalidateQueries({ queryKey: SESSIONS });
    },
    endOthers: async () => {
      await answerOf(api.DELETE('/api/users/me/sessions'));
      await cache.invalidateQueries({ queryKey: SESSIONS });
    },
    endDevice: async (id: string) => {
      await answerOf(api.DELETE('/api/users/me/devices/{device_id}', { params: { path: { device_id: id } } }));
      await cache.invalidateQueries({ queryKey: DEVICES });
    },
  };
}
