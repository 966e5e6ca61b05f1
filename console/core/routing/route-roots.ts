import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import type { Session } from '../session/session.ts';

/** What loading a page needs. */
export interface RouteContext {
  readonly session: Session;
  readonly cache: QueryClient;
}

/** The root of all pages. */
export const rootRoute = createRootRouteWithContext<RouteContext>()({ component: Outlet });

/** The pages of an organization: those of capabilities hang below it. What stands around them is the shell's. */
export const orgRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$orgId',
  beforeLoad: requireSession,
});

/** Lets only those in who are signed in; the others come back after the sign-in. */
export async function requireSession({
  context,
  location,
}: {
  context: RouteContext;
  location: { href: string };
}): Promise<void> {
  const state = await context.session.open();
  if (state !== 'none') return;
  redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href }, throw: true });
}
