import { useCan, useRefusal } from '../core/permissions.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import type { Provider } from './queries.ts';
import { useProvidersText } from './text.ts';

/** Returns what says why the user may not change an account; undefined for one that they may change. */
export function useWhyFixed(): (account: Provider) => string | undefined {
  const text = useProvidersText();
  const [refusal, isAdministrator, { data: user }] = [
    useRefusal('providers.manage'),
    useCan('settings.manage'),
    useCurrentUser(),
  ];
  return ({ owner_id: owner }) =>
    refusal ?? (isAdministrator || (owner !== null && owner === user?.id) ? undefined : text.account.notYours);
}
