import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { shortcuts } from '../core/shortcuts.ts';

/** The pages that begin with a field in which one types at once: chats, and the search. */
const BEGINS_WITH_FIELD = /^\/o\/[^/]+\/(?:chats(?:\/[^/]+)?|search)\/?$/;

/** Keeps what is typed on the way to a page that begins with a field for that field. */
export function useTypingAhead(): void {
  const router = useRouter();
  useEffect(() => {
    if (BEGINS_WITH_FIELD.test(router.state.location.pathname)) shortcuts.expectField();
    return router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
      if (!pathChanged) return;
      if (BEGINS_WITH_FIELD.test(toLocation.pathname)) shortcuts.expectField();
      else shortcuts.takeTyped();
    });
  }, [router]);
}
