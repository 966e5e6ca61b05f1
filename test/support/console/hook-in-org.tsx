import { afterEach } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createQueryClient } from '../../../console/core/http/query-client.ts';
import { Session } from '../../../console/core/session/session.ts';
import { OrgProvider, SessionProvider } from '../../../console/core/session/session-context.tsx';
import { ORG } from './opened-console.tsx';

const opened: Session[] = [];
afterEach(() => {
  for (const session of opened.splice(0)) session.close();
});

/** Renders a hook for somebody who is signed in, within the organization of tests. */
export function renderInOrg<T>(hook: () => T): { readonly current: T } {
  const [session, cache] = [new Session(), createQueryClient()];
  opened.push(session);
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <SessionProvider session={session}>
      <QueryClientProvider client={cache}>
        <OrgProvider orgId={ORG}>{children}</OrgProvider>
      </QueryClientProvider>
    </SessionProvider>
  );
  return renderHook(hook, { wrapper }).result;
}
