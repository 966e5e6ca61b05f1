import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createQueryClient } from '../../../console/core/http/query-client.ts';
import { OrgProvider, SessionProvider } from '../../../console/core/session/session-context.tsx';
import { ORG } from './opened-console.tsx';
import { openSession } from './opened-sessions.tsx';

/** Renders a hook for somebody who is signed in, within the organization of tests. */
export function renderInOrg<T>(hook: () => T): { readonly current: T } {
  const [session, cache] = [openSession(), createQueryClient()];
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <SessionProvider session={session}>
      <QueryClientProvider client={cache}>
        <OrgProvider orgId={ORG}>{children}</OrgProvider>
      </QueryClientProvider>
    </SessionProvider>
  );
  return renderHook(hook, { wrapper }).result;
}
