import { useSession } from '../../core/session/session-context.tsx';
import { useText } from '../../core/text/text-context.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';

/** Returns what signs out, and says when the server could not be told. */
export function useSignOut(): () => void {
  const text = useText().auth;
  const [session, toast] = [useSession(), useToast()];
  return () => void session.signOut().catch(() => toast(text.signOutDue, 'failed'));
}
