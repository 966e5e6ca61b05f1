import { queryOptions } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent, redirect, type RouterHistory } from '@tanstack/react-router';
import { agentsRoutes } from './agents/routes.ts';
import { boardRoutes } from './board/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { chatsRoutes } from './chats/routes.ts';
import { answerOf, createApi } from './core/http/api-client.ts';
import { CURRENT_USER, homeOrgOf } from './core/session/current-user.ts';
import { requireSession, type RouteContext, rootRoute, orgRoute } from './core/routing/route-roots.ts';
import { definitionsRoutes } from './definitions/routes.ts';
import { homeRoutes } from './home/routes.ts';
import { destinationsRoutes } from './destinations/routes.ts';
import { integrationsRoutes } from './integrations/routes.ts';
import { knowledgeBasesRoutes } from './knowledge-bases/routes.ts';
import { issuesRoutes } from './issues/routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { projectsRoutes } from './projects/routes.ts';
import { modelProfilesRoutes } from './model-profiles/routes.ts';
import { providerChainsRoutes } from './provider-chains/routes.ts';
import { providersRoutes } from './providers/routes.ts';
import { runsRoutes } from './runs/routes.ts';
import { schedulesRoutes } from './schedules/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { marketplaceRoutes } from './marketplace/routes.ts';
import { mcpServersRoutes } from './mcp-servers/routes.ts';
import { membersRoutes } from './members/routes.ts';
import { permissionsRoutes } from './permissions/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { trashRoutes } from './trash/routes.ts';
import { tracesRoutes } from './traces/routes.ts';
import { tasksRoutes } from './tasks/routes.ts';
import { workflowsRoutes } from './workflows/routes.ts';
import { ErrorPage, MissingPage, Shell } from './shell/index.ts';

async function currentUserOf({ session, cache }: RouteContext) {
  const api = createApi(session);
  return cache.ensureQueryData(
    queryOptions({ queryKey: CURRENT_USER, queryFn: async () => answerOf(api.GET('/api/users/me')) }),
  );
}

const first = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async (page) => {
    await requireSession(page);
    const orgId = homeOrgOf(await currentUserOf(page.context));
    if (orgId !== undefined) redirect({ to: '/o/$orgId', params: { orgId }, throw: true });
  },
  component: lazyRouteComponent(async () => import('./orgs/no-org-page.tsx'), 'NoOrgPage'),
});

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: ({ to }: Record<string, unknown>) => (isOwnPath(to) ? { to } : {}),
  beforeLoad: async ({ context, search }) => {
    if ((await context.session.open()) === 'open') redirect({ href: search.to ?? '/', throw: true });
  },
  component: lazyRouteComponent(async () => import('./auth/index.ts'), 'SignInPage'),
});

const register = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  component: lazyRouteComponent(async () => import('./auth/index.ts'), 'RegisterPage'),
});

const join = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  beforeLoad: async ({ context }) => void (await context.session.open()),
  component: lazyRouteComponent(async () => import('./join/join-page.tsx'), 'JoinPage'),
});

const setPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-password',
  component: lazyRouteComponent(async () => import('./set-password/set-password-page.tsx'), 'SetPasswordPage'),
});

const welcome = createRoute({
  getParentRoute: () => rootRoute,
  path: '/welcome',
  beforeLoad: async (page) => {
    await requireSession(page);
    if (homeOrgOf(await currentUserOf(page.context)) === undefined) redirect({ to: '/', throw: true });
  },
  loader: async ({ context }) => ({ orgId: homeOrgOf(await currentUserOf(context)) ?? '' }),
  component: lazyRouteComponent(async () => import('./welcome/welcome-page.tsx'), 'WelcomePage'),
});

const org = orgRoute.update({ component: Shell });

const routeTree = rootRoute.addChildren([
  first,
  signIn,
  register,
  join,
  setPassword,
  welcome,
  org.addChildren([
    ...homeRoutes,
    ...inboxRoutes,
    ...chatsRoutes,
    ...searchRoutes,
    ...tracesRoutes,
    ...projectsRoutes,
    ...issuesRoutes,
    ...boardRoutes,
    ...tasksRoutes,
    ...workflowsRoutes,
    ...schedulesRoutes,
    ...runsRoutes,
    ...agentsRoutes,
    ...definitionsRoutes,
    ...mcpServersRoutes,
    ...destinationsRoutes,
    ...integrationsRoutes,
    ...marketplaceRoutes,
    ...knowledgeBasesRoutes,
    ...providersRoutes,
    ...providerChainsRoutes,
    ...modelProfilesRoutes,
    ...membersRoutes,
    ...permissionsRoutes,
    ...usageRoutes,
    ...auditRoutes,
    ...trashRoutes,
    ...settingsRoutes,
  ]),
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
    scrollRestoration: ({ location }) => !isChat(location.pathname),
  });
}

// A chat opens at its end, and its list of messages places itself.
function isChat(path: string): boolean {
  return /^\/o\/[^/]+\/chats\/[^/]/.test(path);
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
