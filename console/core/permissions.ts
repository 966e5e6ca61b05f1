import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { mayRedirect } from '../../domain/permissions/policy.ts';
import type { components } from '../openapi.ts';
import { answerOf } from './http/api-client.ts';
import { useText } from './text/text-context.tsx';
import { useApi, useCurrentUser, useOrgId } from './session/session-context.tsx';

export type OwnPermissions = components['schemas']['OwnPermissions'];
export type PermissionKey = components['schemas']['PermissionKey'];

/** Returns what the signed-in user may do in the organization of the page. */
export function useOwnPermissions(): UseQueryResult<OwnPermissions> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'permissions', 'me'],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/permissions/me', { signal })),
    staleTime: 30_000,
  });
}

/**
 * Returns whether the user has a right; false until that is known. It only decides what is shown: the server decides
 * what may be done.
 */
export function useCan(key: PermissionKey): boolean {
  const { data } = useOwnPermissions();
  return data?.permissions.includes(key) === true;
}

/**
 * Returns whether the user is shown the pages of those who build. Who is not has Home, Inbox, Chats, Board, Search, the
 * trash and Settings, and is led to no other page.
 */
export function useIsAdvanced(): boolean {
  return useCan('ui.advanced_mode');
}

/** Returns why a button that needs a right is off: undefined when the user has the right. */
export function useRefusal(key: PermissionKey): string | undefined {
  const text = useText();
  return useCan(key) ? undefined : text.common.noRight(key);
}

/**
 * Returns what says, by the owner of a record, why the user may not change it: only the owner and administrators may,
 * who have the right. Undefined for a record that they may change.
 */
export function useOwnerRefusal(key: PermissionKey, notYours: string): (ownerId: string | null) => string | undefined {
  const [refusal, isAdministrator, { data: user }] = [useRefusal(key), useCan('settings.manage'), useCurrentUser()];
  return (ownerId) => refusal ?? (isAdministrator || (ownerId !== null && ownerId === user?.id) ? undefined : notYours);
}

/**
 * Returns why a button is off that changes a record which decides where agents send: undefined when the user may change
 * it. Whoever has the right by their role alone has it for what they have added themselves.
 */
export function useRedirectRefusal(key: PermissionKey, ownerId: string | null): string | undefined {
  const [text, refusal] = [useText(), useRefusal(key)];
  const [{ data: rights }, { data: user }] = [useOwnPermissions(), useCurrentUser()];
  if (refusal !== undefined || rights === undefined || user === undefined) return refusal;
  const policy = { isRestricted: rights.is_restricted, keys: new Set(rights.permissions) };
  return mayRedirect(policy, user.id, { ownerId }) ? undefined : text.common.ofSomebodyElse;
}
