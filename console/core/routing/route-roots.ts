import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  type RouteComponent,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
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

/** Makes a page of an organization: a component that is loaded with it, and what the search of its address may say. */
export function orgPage<
  const Path extends string,
  Name extends string,
  Pages extends Readonly<Record<Name, () => ReactNode>>,
  Search extends object = object,
>(
  path: Path,
  load: () => Promise<Pages>,
  name: Name,
  validateSearch: (search: Readonly<Record<string, unknown>>) => Search = () => ({}) as Search,
) {
  const component: RouteComponent = lazyRouteComponent<Readonly<Record<string, () => ReactNode>>, Name>(load, name);
  return createRoute({ getParentRoute: () => orgRoute, path, validateSearch, component });
}

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
