import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { clearDrafts } from '../core/drafts.ts';
import { dropInvite } from '../core/session/held-invite.ts';
import type { Session } from '../core/session/session.ts';

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
