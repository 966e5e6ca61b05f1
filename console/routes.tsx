import { queryOptions, type QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router';
import { answerOf, createApi } from './core/http/api-client.ts';
import { CURRENT_USER, homeOrgOf } from './core/session/current-user.ts';
import type { Session } from './core/session/session.ts';
import { ErrorPage, MissingPage, Shell } from './shell/index.ts';

/** What loading a page needs. */
interface RouteContext {
  readonly session: Session;
  readonly cache: QueryClient;
}

const root = createRootRouteWithContext<RouteContext>()({ component: Outlet });

/** Lets only those in who are signed in; the others come back after the sign-in. */
async function requireSession({ context, location }: { context: RouteContext; location: { href: string } }) {
  const state = await context.session.open();
  if (state !== 'none') return;
  redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href }, throw: true });
}

async function currentUserOf({ session, cache }: RouteContext) {
  const api = createApi(session);
  return cache.ensureQueryData(
    queryOptions({ queryKey: CURRENT_USER, queryFn: async () => answerOf(api.GET('/api/users/me')) }),
  );
}

const first = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async (page) => {
    await requireSession(page);
    const orgId = homeOrgOf(await currentUserOf(page.context));
    if (orgId !== undefined) redirect({ to: '/o/$orgId', params: { orgId }, throw: true });
  },
  component: lazyRouteComponent(async () => import('./orgs/index.ts'), 'NoOrgPage'),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ to }: Record<string, unknown>) => (isOwnPath(to) ? { to } : {}),
  beforeLoad: async ({ context, search }) => {
    if ((await context.session.open()) === 'open') redirect({ href: search.to ?? '/', throw: true });
  },
  component: lazyRouteComponent(async () => import('./auth/index.ts'), 'SignInPage'),
});

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  component: lazyRouteComponent(async () => import('./auth/index.ts'), 'RegisterPage'),
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  beforeLoad: async ({ context }) => void (await context.session.open()),
  component: lazyRouteComponent(async () => import('./join/index.ts'), 'JoinPage'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  beforeLoad: async (page) => {
    await requireSession(page);
    if (homeOrgOf(await currentUserOf(page.context)) === undefined) redirect({ to: '/', throw: true });
  },
  loader: async ({ context }) => ({ orgId: homeOrgOf(await currentUserOf(context)) ?? '' }),
  component: lazyRouteComponent(async () => import('./welcome/index.ts'), 'WelcomePage'),
});

/** The pages of an organization; those of capabilities hang below it. */
const org = createRoute({
  getParentRoute: () => root,
  path: '/o/$orgId',
  beforeLoad: requireSession,
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => org,
  path: '/',
  component: lazyRouteComponent(async () => import('./home/index.ts'), 'HomePage'),
});

const agents = createRoute({
  getParentRoute: () => org,
  path: '/agents',
  validateSearch: ({ q }: Record<string, unknown>) => (typeof q === 'string' && q !== '' ? { q } : {}),
  component: lazyRouteComponent(async () => import('./agents/index.ts'), 'AgentsPage'),
});

const providers = createRoute({
  getParentRoute: () => org,
  path: '/providers',
  component: lazyRouteComponent(async () => import('./providers/index.ts'), 'ProvidersPage'),
});

const chats = createRoute({
  getParentRoute: () => org,
  path: '/chats',
  component: lazyRouteComponent(async () => import('./chats/index.ts'), 'ChatsPage'),
});

const newChat = createRoute({
  getParentRoute: () => chats,
  path: '/',
  validateSearch: ({ agent }: Record<string, unknown>) => (typeof agent === 'string' ? { agent } : {}),
  component: lazyRouteComponent(async () => import('./chats/index.ts'), 'NewChatPage'),
});

const chat = createRoute({
  getParentRoute: () => chats,
  path: '/$chatId',
  component: lazyRouteComponent(async () => import('./chats/index.ts'), 'ChatPage'),
});

const routeTree = root.addChildren([
  first,
  signIn,
  register,
  join,
  welcome,
  org.addChildren([home, chats.addChildren([newChat, chat]), agents, providers]),
]);

/** Makes the router of all pages. */
export function createConsoleRouter(context: RouteContext, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context,
    ...(history !== undefined && { history }),
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: MissingPage,
    scrollRestoration: true,
  });
}

/** Returns whether a value is the path of a page of this console, and of no other site. */
function isOwnPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
