import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { answerOf, type Api, createApi } from '../http/api-client.ts';
import type { CurrentUser, Session, SessionState } from './session.ts';
import { browserStorage } from '../browser/browser.ts';
import type { components } from '../../openapi.ts';

const SessionContext = createContext<Session | undefined>(undefined);
/** The id of the organization that the pages within are about; of none outside of organizations. */
export const OrgContext = createContext<string | undefined>(undefined);

/** Gives the session to all pages. */
export function SessionProvider({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Says which organization the pages within are about; its id comes from their address. */
export function OrgProvider({ orgId, children }: { readonly orgId: string; readonly children: ReactNode }) {
  return <OrgContext value={orgId}>{children}</OrgContext>;
}

/** Returns the session of this browser. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a SessionProvider around it');
  return session;
}

/** Returns the state of the session, and renders anew when it changes. */
export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

/** Returns the id of the organization that the page is about. */
export function useOrgId(): string {
  const orgId = useContext(OrgContext);
  if (orgId === undefined) throw new Error('useOrgId needs an OrgProvider around it');
  return orgId;
}

/** Returns the api: that of the page's organization, or of none outside of organizations. */
export function useApi(): Api {
  const session = useSession();
  const orgId = useContext(OrgContext);
  return useMemo(() => createApi(session, orgId), [session, orgId]);
}

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
