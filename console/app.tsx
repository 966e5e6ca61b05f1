import { CSPProvider } from '@base-ui/react/csp-provider';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider, type RouterHistory } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Session } from './core/session/session.ts';
import { SessionProvider } from './core/session/session-context.tsx';
import { createConsoleRouter } from './routes.tsx';
import { useLeaving } from './shell/index.ts';
import { ToastProvider } from './ui/overlays/toast.tsx';

interface AppProps {
  readonly session: Session;
  readonly cache: QueryClient;
  /** Where the address comes from; the browser's unless given. */
  readonly history?: RouterHistory;
}

/** The whole console. */
export function App({ session, cache, history }: AppProps) {
  const [router] = useState(() => createConsoleRouter({ session, cache }, history));
  useLeaving(
    session,
    cache,
    useCallback(() => void router.navigate({ to: '/sign-in' }), [router]),
  );
  return (
    <CSPProvider disableStyleElements>
      <SessionProvider session={session}>
        <QueryClientProvider client={cache}>
          <ToastProvider>
            <RouterProvider router={router} />
          </ToastProvider>
        </QueryClientProvider>
      </SessionProvider>
    </CSPProvider>
  );
}
