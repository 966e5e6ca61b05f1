import { useQueryClient } from '@tanstack/react-query';
import { SignInForm } from '../auth/sign-in-page.tsx';
import { useCurrentUser } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

/**
 * Asks for the password over a page whose session has ended, so that nothing typed there is lost. The page goes on with
 * what it showed; another person leaves it.
 */
export function EndedDialog() {
  const text = useText().auth;
  const cache = useQueryClient();
  const { data: user } = useCurrentUser();
  return (
    <Dialog open title={text.sessionEnded} description={text.sessionEndedWhy}>
      <SignInForm email={user?.email} onDone={() => void cache.invalidateQueries()} />
    </Dialog>
  );
}
