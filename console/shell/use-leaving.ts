import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { clearDrafts } from '../core/drafts.ts';
import { dropInvite } from '../core/session/kept-invite.ts';
import { useSession } from '../core/session/session-context.tsx';
import type { Session } from '../core/session/session.ts';
import { useText } from '../core/text/text-context.tsx';
import { useToast } from '../ui/overlays/toast.tsx';

/**
 * Forgets what was read and typed and leaves the page once somebody has signed out, here or in another tab, also when
 * another person is in at once: what comes after is then theirs.
 */
export function useLeaving(session: Session, cache: QueryClient, leave: () => void): void {
  useEffect(() => {
    let before = session.state;
    return session.subscribe(() => {
      const wasIn = before === 'open' || before === 'ended';
      before = session.state;
      if (before !== 'none' || !wasIn) return;
      cache.clear();
      clearDrafts();
      dropInvite();
      leave();
    });
  }, [session, cache, leave]);
}

/** Returns what signs out, and says when the server could not be told. */
export function useSignOut(): () => void {
  const text = useText().auth;
  const [session, toast] = [useSession(), useToast()];
  return () => void session.signOut().catch(() => toast(text.signOutDue, 'failed'));
}
