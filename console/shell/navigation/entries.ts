import type { RegisteredRouter } from '@tanstack/react-router';
import {
  type LucideIcon,
  BookOpen,
  Bot,
  Cable,
  CalendarClock,
  ChartColumn,
  CircleDot,
  Drama,
  FolderGit2,
  History,
  House,
  Inbox,
  LibraryBig,
  ListOrdered,
  ListTodo,
  MessageSquare,
  MessagesSquare,
  Plug,
  ScrollText,
  Search,
  Send,
  Server,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  SquareKanban,
  Store,
  Trash2,
  Users,
  Workflow,
  Wrench,
} from 'lucide-react';
import { type PermissionKey, useOwnPermissions } from '../../core/permissions.ts';
import type { Text } from '../../core/text/en.ts';

type OrgPath = Extract<keyof RegisteredRouter['routesByPath'], '/o/$orgId' | `/o/$orgId/${string}`>;

/** A page of the navigation. */
export interface NavigationEntry {
  /** The address of a page that needs nothing but the organization. */
  readonly to: Exclude<OrgPath, `${string}/` | `/o/$orgId/${string}$${string}`>;
  readonly label: (text: Text) => string;
  readonly icon: LucideIcon;
  /** The rights of which one is enough to see it. */
  readonly needs?: readonly PermissionKey[];
  /** Whether it is only for those who build: who lacks `ui.advanced_mode` does not see it. */
  readonly isAdvanced?: boolean;
  /** What is counted beside it: how much waits for the user. */
  readonly counts?: 'approvals';
  readonly keys?: string;
}

/** Pages of the navigation that belong together. */
export interface NavigationGroup {
  readonly key: string;
  /** The heading of the group; the first one needs none. */
  readonly label?: (text: Text) => string;
  readonly entries: readonly NavigationEntry[];
}

/** The pages of an organization, in the order of the navigation. */
const NAVIGATION: readonly NavigationGroup[] = [
  {
    key: 'start',
    entries: [
      { to: '/o/$orgId', label: ({ nav }) => nav.home, icon: House, keys: 'g h' },
      {
        to: '/o/$orgId/inbox',
        label: ({ nav }) => nav.inbox,
        icon: Inbox,
        needs: ['approvals.view'],
        counts: 'approvals',
        keys: 'g i',
      },
      { to: '/o/$orgId/chats', label: ({ nav }) => nav.chats, icon: MessageSquare, keys: 'g c' },
      { to: '/o/$orgId/search', label: ({ nav }) => nav.search, icon: Search, keys: 'g s' },
    ],
  },
  {
    key: 'work',
    label: ({ nav }) => nav.work,
    entries: [
      {
        to: '/o/$orgId/projects',
        label: ({ nav }) => nav.projects,
        icon: FolderGit2,
        needs: ['projects.view'],
        isAdvanced: true,
        keys: 'g r',
      },
      {
        to: '/o/$orgId/issues',
        label: ({ nav }) => nav.issues,
        icon: CircleDot,
        needs: ['issues.view'],
        isAdvanced: true,
        keys: 'g u',
      },
      {
        to: '/o/$orgId/board',
        label: ({ nav }) => nav.board,
        icon: SquareKanban,
        needs: ['issues.view', 'tasks.view'],
        keys: 'g b',
      },
      {
        to: '/o/$orgId/tasks',
        label: ({ nav }) => nav.tasks,
        icon: ListTodo,
        needs: ['tasks.view'],
        isAdvanced: true,
        keys: 'g t',
      },
    ],
  },
  {
    key: 'automate',
    label: ({ nav }) => nav.automate,
    entries: [
      {
        to: '/o/$orgId/workflows',
        label: ({ nav }) => nav.workflows,
        icon: Workflow,
        needs: ['schedules.view'],
        isAdvanced: true,
        keys: 'g w',
      },
      {
        to: '/o/$orgId/schedules',
        label: ({ nav }) => nav.schedules,
        icon: CalendarClock,
        needs: ['schedules.view'],
        isAdvanced: true,
        keys: 'g l',
      },
      {
        to: '/o/$orgId/runs',
        label: ({ nav }) => nav.runs,
        icon: History,
        needs: ['schedules.view'],
        isAdvanced: true,
        keys: 'g x',
      },
    ],
  },
  {
    key: 'build',
    label: ({ nav }) => nav.build,
    entries: [
      {
        to: '/o/$orgId/agents',
        label: ({ nav }) => nav.agents,
        icon: Bot,
        needs: ['agents.view'],
        isAdvanced: true,
        keys: 'g a',
      },
      {
        to: '/o/$orgId/skills',
        label: ({ nav }) => nav.skills,
        icon: BookOpen,
        needs: ['skills.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/personas',
        label: ({ nav }) => nav.personas,
        icon: Drama,
        needs: ['personas.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/tools',
        label: ({ nav }) => nav.tools,
        icon: Wrench,
        needs: ['tools.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/mcp-servers',
        label: ({ nav }) => nav.mcpServers,
        icon: Server,
        needs: ['mcp_servers.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/integrations',
        label: ({ nav }) => nav.integrations,
        icon: Cable,
        needs: ['integrations.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/destinations',
        label: ({ nav }) => nav.destinations,
        icon: Send,
        needs: ['integrations.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/channels',
        label: ({ nav }) => nav.channels,
        icon: MessagesSquare,
        needs: ['channels.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/knowledge-bases',
        label: ({ nav }) => nav.knowledgeBases,
        icon: LibraryBig,
        needs: ['knowledge_bases.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/marketplace',
        label: ({ nav }) => nav.marketplace,
        icon: Store,
        needs: ['marketplace.view'],
        isAdvanced: true,
      },
    ],
  },
  {
    key: 'models',
    label: ({ nav }) => nav.models,
    entries: [
      {
        to: '/o/$orgId/providers',
        label: ({ nav }) => nav.providers,
        icon: Plug,
        needs: ['providers.view'],
        isAdvanced: true,
        keys: 'g p',
      },
      {
        to: '/o/$orgId/provider-chains',
        label: ({ nav }) => nav.chains,
        icon: ListOrdered,
        needs: ['providers.view'],
        isAdvanced: true,
      },
      {
        to: '/o/$orgId/model-profiles',
        label: ({ nav }) => nav.modelProfiles,
        icon: SlidersHorizontal,
        needs: ['providers.view'],
        isAdvanced: true,
      },
    ],
  },
  {
    key: 'org',
    label: ({ nav }) => nav.org,
    entries: [
      { to: '/o/$orgId/members', label: ({ nav }) => nav.members, icon: Users, isAdvanced: true, keys: 'g m' },
      {
        to: '/o/$orgId/permissions',
        label: ({ nav }) => nav.permissions,
        icon: ShieldCheck,
        needs: ['settings.view'],
        isAdvanced: true,
      },
      { to: '/o/$orgId/usage', label: ({ nav }) => nav.usage, icon: ChartColumn, isAdvanced: true, keys: 'g y' },
      {
        to: '/o/$orgId/audit',
        label: ({ nav }) => nav.audit,
        icon: ScrollText,
        needs: ['settings.view'],
        isAdvanced: true,
      },
      { to: '/o/$orgId/trash', label: ({ nav }) => nav.trash, icon: Trash2, isAdvanced: false },
      { to: '/o/$orgId/settings', label: ({ nav }) => nav.settings, icon: Settings, keys: 'g ,' },
    ],
  },
];

/** Returns the pages that the user may see, by group. */
export function useNavigation(): readonly NavigationGroup[] {
  const { data, isPending } = useOwnPermissions();
  // Groups that are inserted once the rights are known would push those below them down.
  if (isPending) return NAVIGATION.slice(0, 1);
  const has = (key: PermissionKey) => data?.permissions.includes(key) === true;
  const isShown = ({ needs, isAdvanced = false }: NavigationEntry) =>
    (needs?.some(has) ?? true) && (!isAdvanced || has('ui.advanced_mode'));
  const groups = NAVIGATION.map((group) => ({ ...group, entries: group.entries.filter(isShown) }));
  return groups.filter(({ entries }) => entries.length > 0);
}
