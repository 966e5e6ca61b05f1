import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { browserStorage } from '../browser/storage.ts';
import { answerOf } from '../http/api-client.ts';
import type { CurrentUser } from './session.ts';
import { useApi, useSessionState } from './session-context.tsx';

/** The key of the signed-in user in the cache. */
export const CURRENT_USER = ['users', 'me'] as const;

/** Returns the signed-in user with their organizations. */
export function useCurrentUser(): UseQueryResult<CurrentUser> {
  const api = useApi();
  const state = useSessionState();
  return useQuery({
    queryKey: CURRENT_USER,
    queryFn: async ({ signal }) => answerOf(api.GET('/api/users/me', { signal })),
    enabled: state === 'open',
  });
}

const LAST_ORG = 'everturn.org';

/**
 * Returns the organization that `/` leads to: the last one that was open in this browser, else the user's active one.
 */
export function homeOrgOf({ orgs, active_org_id: active }: CurrentUser): string | undefined {
  const last = browserStorage.read(LAST_ORG);
  return [last, active].find((id) => orgs.some((org) => org.id === id)) ?? orgs[0]?.id;
}

/** Remembers the organization that is open, for the next visit. */
export function rememberOrg(orgId: string): void {
  browserStorage.write(LAST_ORG, orgId);
}
