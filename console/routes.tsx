import { createRoute, createRouter, lazyRouteComponent, redirect, type RouterHistory } from '@tanstack/react-router';
import { queryOptions } from '@tanstack/react-query';
import { orgPage, orgRoute, requireSession, rootRoute, type RouteContext } from './core/routing/route-roots.ts';
import { readFilters } from './audit/filters.ts';
import { choice, choiceParam, textParam, texts } from './core/routing/search.ts';
import { GROUPINGS, MEASURES, SCOPES } from './usage/choices.ts';
import { ITEM_KINDS } from './marketplace/item-kinds.ts';
import { KINDS } from './trash/kinds.ts';
import { boardRoutes } from './board/routes.ts';
import { answerOf, createApi } from './core/http/api-client.ts';
import { CURRENT_USER, homeOrgOf } from './core/session/session-context.tsx';
import { issuesRoutes } from './issues/routes.ts';
import { tasksRoutes } from './tasks/routes.ts';
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
  component: lazyRouteComponent(async () => import('./auth/sign-in-page.tsx'), 'SignInPage'),
});

const register = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  component: lazyRouteComponent(async () => import('./auth/register-page.tsx'), 'RegisterPage'),
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

/** The parts of an agent's form after the first one. */
const TABS = ['tools', 'model', 'limits', 'knowledge'] as const;

const agents = orgPage('/agents', async () => import('./agents/agents-page.tsx'), 'AgentsPage', texts('q'));

const newAgent = orgPage(
  '/agents/new',
  async () => import('./agents/agent-editor.tsx'),
  'NewAgentPage',
  choice('tab', TABS),
);

const agent = orgPage('/agents/$agentId', async () => import('./agents/agent-page.tsx'), 'AgentPage');

const editor = createRoute({
  getParentRoute: () => agent,
  path: '/',
  validateSearch: choice('tab', TABS),
  component: lazyRouteComponent(async () => import('./agents/agent-editor.tsx'), 'AgentEditor'),
});

const memories = createRoute({
  getParentRoute: () => agent,
  path: '/memories',
  component: lazyRouteComponent(async () => import('./agents/memories-page.tsx'), 'MemoriesPage'),
});

const prompt = createRoute({
  getParentRoute: () => agent,
  path: '/prompt',
  component: lazyRouteComponent(async () => import('./agents/seen-page.tsx'), 'SeenPage'),
});

type Search = Readonly<Record<string, unknown>>;

const listSearch = (search: Search) => ({
  ...textParam(search, 'q'),
  ...textParam(search, 'category'),
  ...choiceParam(search, 'from', ['own', 'builtin']),
});
const pageSearch = (search: Search) => ({
  ...choiceParam(search, 'tab', ['files', 'details', 'try']),
  ...textParam(search, 'file'),
});

const chats = createRoute({
  getParentRoute: () => orgRoute,
  path: '/chats',
  component: lazyRouteComponent(async () => import('./chats/chats-page.tsx'), 'ChatsPage'),
});

const newChat = createRoute({
  getParentRoute: () => chats,
  path: '/',
  validateSearch: (search) => textParam(search, 'agent'),
  component: lazyRouteComponent(async () => import('./chats/new-chat-page.tsx'), 'NewChatPage'),
});

const chat = createRoute({
  getParentRoute: () => chats,
  path: '/$chatId',
  validateSearch: (search) => ({
    ...textParam(search, 'panel'),
    ...textParam(search, 'file'),
    ...textParam(search, 'folder'),
    ...textParam(search, 'path'),
    ...textParam(search, 'message'),
  }),
  component: lazyRouteComponent(async () => import('./chats/chat-page.tsx'), 'ChatPage'),
});

const settings = orgPage('/settings', async () => import('./settings/settings-page.tsx'), 'SettingsPage');

const firstSetting = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => redirect({ to: '/o/$orgId/settings/profile', params, replace: true, throw: true }),
});

const profile = createRoute({
  getParentRoute: () => settings,
  path: '/profile',
  component: lazyRouteComponent(async () => import('./settings/profile-page.tsx'), 'ProfilePage'),
});

const signIns = createRoute({
  getParentRoute: () => settings,
  path: '/sign-ins',
  component: lazyRouteComponent(async () => import('./settings/sign-ins-page.tsx'), 'SignInsPage'),
});

const keys = createRoute({
  getParentRoute: () => settings,
  path: '/api-keys',
  component: lazyRouteComponent(async () => import('./settings/keys/keys-page.tsx'), 'KeysPage'),
});

const appearance = createRoute({
  getParentRoute: () => settings,
  path: '/appearance',
  component: lazyRouteComponent(async () => import('./settings/appearance-page.tsx'), 'AppearancePage'),
});

const organization = createRoute({
  getParentRoute: () => settings,
  path: '/organization',
  component: lazyRouteComponent(async () => import('./settings/organization-page.tsx'), 'OrganizationPage'),
});

const about = createRoute({
  getParentRoute: () => settings,
  path: '/about',
  component: lazyRouteComponent(async () => import('./settings/about-page.tsx'), 'AboutPage'),
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
    orgPage('/', async () => import('./home/home-page.tsx'), 'HomePage'),
    orgPage(
      '/inbox',
      async () => import('./inbox/inbox-page.tsx'),
      'InboxPage',
      (search) => ({
        ...choiceParam(search, 'view', ['decided', 'failed']),
        ...choiceParam(search, 'status', ['approved', 'answered', 'denied', 'expired', 'cancelled', 'outdated']),
        ...textParam(search, 'id'),
      }),
    ),
    chats.addChildren([newChat, chat]),
    orgPage('/search', async () => import('./search/search-page.tsx'), 'SearchPage', texts('q')),
    orgPage('/chats/$chatId/turns/$turnId', async () => import('./traces/trace-page.tsx'), 'TracePage', texts('step')),
    orgPage('/projects', async () => import('./projects/projects-page.tsx'), 'ProjectsPage', texts('q')),
    orgPage('/projects/$projectId', async () => import('./projects/project-page.tsx'), 'ProjectPage', texts('tab')),
    ...issuesRoutes,
    ...boardRoutes,
    ...tasksRoutes,
    orgPage('/workflows', async () => import('./workflows/workflows-page.tsx'), 'WorkflowsPage', texts('q')),
    orgPage('/workflows/new', async () => import('./workflows/workflow-page.tsx'), 'NewWorkflowPage'),
    orgPage(
      '/workflows/$workflowId',
      async () => import('./workflows/workflow-page.tsx'),
      'WorkflowPage',
      choice('tab', ['runs', 'conversations', 'outside', 'settings']),
    ),
    orgPage(
      '/schedules',
      async () => import('./schedules/schedules-page.tsx'),
      'SchedulesPage',
      (search) => ({
        ...textParam(search, 'q'),
        ...choiceParam(search, 'range', ['month']),
      }),
    ),
    orgPage('/schedules/new', async () => import('./schedules/schedule-page.tsx'), 'NewSchedulePage'),
    orgPage(
      '/schedules/$scheduleId',
      async () => import('./schedules/schedule-page.tsx'),
      'SchedulePage',
      choice('tab', ['runs', 'outside', 'settings']),
    ),
    orgPage(
      '/runs',
      async () => import('./runs/runs-page.tsx'),
      'RunsPage',
      (search) => ({
        ...choiceParam(search, 'status', ['queued', 'running', 'waiting', 'completed', 'failed', 'interrupted']),
        ...choiceParam(search, 'kind', ['workflow', 'schedule']),
        ...choiceParam(search, 'by', ['manual', 'webhook', 'schedule', 'agent']),
        ...choiceParam(search, 'reports', ['undelivered']),
        ...textParam(search, 'agent'),
        ...textParam(search, 'id'),
      }),
    ),
    agents,
    newAgent,
    agent.addChildren([editor, memories, prompt]),
    orgPage('/skills', async () => import('./definitions/definitions-page.tsx'), 'SkillsPage', listSearch),
    orgPage('/skills/$definitionId', async () => import('./definitions/definition-page.tsx'), 'SkillPage', pageSearch),
    orgPage('/personas', async () => import('./definitions/definitions-page.tsx'), 'PersonasPage', listSearch),
    orgPage(
      '/personas/$definitionId',
      async () => import('./definitions/definition-page.tsx'),
      'PersonaPage',
      pageSearch,
    ),
    orgPage('/tools', async () => import('./definitions/definitions-page.tsx'), 'ToolsPage', listSearch),
    orgPage('/tools/$definitionId', async () => import('./definitions/definition-page.tsx'), 'ToolPage', pageSearch),
    orgPage('/mcp-servers', async () => import('./mcp-servers/servers-page.tsx'), 'ServersPage'),
    orgPage(
      '/mcp-servers/$serverId',
      async () => import('./mcp-servers/server-page.tsx'),
      'ServerPage',
      choice('tab', ['tools', 'agents', 'settings']),
    ),
    orgPage('/channels', async () => import('./channels/channels-page.tsx'), 'ChannelsPage', texts('q')),
    orgPage('/channels/$channelId', async () => import('./channels/channel-page.tsx'), 'ChannelPage'),
    orgPage(
      '/destinations',
      async () => import('./destinations/destinations-page.tsx'),
      'DestinationsPage',
      texts('q'),
    ),
    orgPage(
      '/destinations/$destinationId',
      async () => import('./destinations/destination-page.tsx'),
      'DestinationPage',
    ),
    orgPage(
      '/integrations',
      async () => import('./integrations/integrations-page.tsx'),
      'IntegrationsPage',
      texts('q'),
    ),
    orgPage(
      '/integrations/$integrationId',
      async () => import('./integrations/integration-page.tsx'),
      'IntegrationPage',
    ),
    orgPage(
      '/marketplace',
      async () => import('./marketplace/items-page.tsx'),
      'ItemsPage',
      (search) => ({ ...textParam(search, 'q'), ...choiceParam(search, 'kind', ITEM_KINDS) }),
    ),
    orgPage('/marketplace/$slug', async () => import('./marketplace/item-page.tsx'), 'ItemPage'),
    orgPage(
      '/knowledge-bases',
      async () => import('./knowledge-bases/bases-page.tsx'),
      'KnowledgeBasesPage',
      texts('q'),
    ),
    orgPage(
      '/knowledge-bases/$baseId',
      async () => import('./knowledge-bases/base-page.tsx'),
      'KnowledgeBasePage',
      (search) => ({ ...choiceParam(search, 'tab', ['documents', 'search', 'settings']), ...textParam(search, 'q') }),
    ),
    orgPage('/providers', async () => import('./providers/providers-page.tsx'), 'ProvidersPage', texts('q')),
    orgPage('/providers/$providerId', async () => import('./providers/account-page.tsx'), 'AccountPage'),
    orgPage('/provider-chains', async () => import('./provider-chains/chains-page.tsx'), 'ChainsPage'),
    orgPage('/provider-chains/new', async () => import('./provider-chains/chain-page.tsx'), 'NewChainPage'),
    orgPage('/provider-chains/$chainId', async () => import('./provider-chains/chain-page.tsx'), 'ChainPage'),
    orgPage(
      '/model-profiles',
      async () => import('./model-profiles/profiles-page.tsx'),
      'ProfilesPage',
      texts('tag', 'work'),
    ),
    orgPage('/model-profiles/new', async () => import('./model-profiles/profile-page.tsx'), 'NewProfilePage'),
    orgPage('/model-profiles/$profileId', async () => import('./model-profiles/profile-page.tsx'), 'ProfilePage'),
    orgPage('/members', async () => import('./members/members-page.tsx'), 'MembersPage', texts('q')),
    orgPage('/members/$userId', async () => import('./members/member-page.tsx'), 'MemberPage'),
    orgPage('/permissions', async () => import('./permissions/groups-page.tsx'), 'GroupsPage'),
    orgPage('/permissions/$groupId', async () => import('./permissions/group-page.tsx'), 'GroupPage', texts('tab')),
    orgPage(
      '/usage',
      async () => import('./usage/usage-page.tsx'),
      'UsagePage',
      (search) => ({
        ...textParam(search, 'from'),
        ...textParam(search, 'to'),
        ...choiceParam(search, 'by', GROUPINGS),
        ...choiceParam(search, 'of', MEASURES),
        ...choiceParam(search, 'scope', SCOPES),
      }),
    ),
    orgPage('/audit', async () => import('./audit/audit-page.tsx'), 'AuditPage', readFilters),
    orgPage('/trash', async () => import('./trash/trash-page.tsx'), 'TrashPage', choice('of', KINDS)),
    settings.addChildren([firstSetting, profile, signIns, keys, appearance, organization, about]),
  ]),
]);

/** Makes the router of all pages. */
export function createConsoleRouter(context: RouteContext, history?: RouterHistory) {
  const router = createRouter({
    routeTree,
    context,
    ...(history !== undefined && { history }),
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: MissingPage,
    scrollRestoration: ({ location }) => !isChat(location.pathname),
  });
  // The first page is loaded while the session is asked for, after which the router would load it.
  const [matched] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const route of matched) void router.loadRouteChunk(route);
  return router;
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
