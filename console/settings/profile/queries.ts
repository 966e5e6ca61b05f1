import { useQueryClient } from '@tanstack/react-query';
import { answerOf } from '../../core/http/api-client.ts';
import { CURRENT_USER } from '../../core/session/current-user.ts';
import { useApi, useOrgId, useSession } from '../../core/session/session-context.tsx';
import type { CurrentUser } from '../../core/session/session.ts';

/** What people change about their own account. Passwords are kept in no cache. */
export interface ProfileActions {
  readonly setName: (name: string) => Promise<void>;
  readonly setEmail: (email: string, password: string) => Promise<void>;
  /** Sets a new password. It ends all sign-ins, so this browser signs in again with it. */
  readonly setPassword: (user: CurrentUser, password: string, former: string) => Promise<void>;
  /** Deletes the account, and leaves the console. */
  readonly deleteAccount: (password: string) => Promise<void>;
}

/** Returns what changes the account of the signed-in user. */
export function useProfileActions(): ProfileActions {
  const [api, session, cache, orgId] = [useApi(), useSession(), useQueryClient(), useOrgId()];
  const read = async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: CURRENT_USER }),
      cache.invalidateQueries({ queryKey: [orgId, 'members'] }),
    ]);
  };
  return {
    setName: async (name) => {
      await answerOf(api.PATCH('/api/users/me', { body: { full_name: name } }));
      await read();
    },
    setEmail: async (email, password) => {
      await answerOf(api.PUT('/api/users/me/email', { body: { email, current_password: password } }));
      await read();
    },
    setPassword: async ({ email }, password, former) => {
      await answerOf(api.PATCH('/api/users/me', { body: { password, current_password: former } }));
      await session.signIn(email, password);
    },
    deleteAccount: async (password) => {
      await answerOf(api.POST('/api/users/me/delete', { body: { current_password: password } }));
      // The session is gone with the account; this has all tabs leave.
      await session.signOut();
    },
  };
}
