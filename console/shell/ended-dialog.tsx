import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { SignInForm } from '../auth/index.ts';
import { drafts } from '../core/drafts.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import type { CurrentUser } from '../core/session/session.ts';
import { useText } from '../core/text/text-context.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

/** Asks for the password over a page whose session has ended, so that nothing typed there is lost. */
export function EndedDialog() {
  const text = useText().auth;
  const returned = useReturning();
  return (
    <Dialog open title={text.sessionEnded} description={text.sessionEndedWhy}>
      <SignInForm onDone={returned} />
    </Dialog>
  );
}

/**
 * Returns what goes on after a new sign-in over the page: with what it showed, or for another person from the start.
 */
function useReturning(): (user: CurrentUser) => void {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { data: before } = useCurrentUser();
  return ({ id }) => {
    if (before === undefined || before.id === id) void cache.invalidateQueries();
    else {
      cache.clear();
      drafts.clear();
      void navigate({ to: '/' });
    }
  };
}
