import type { RegisteredRouter } from '@tanstack/react-router';
import {
  Bot,
  House,
  Inbox,
  type LucideIcon,
  MessageSquare,
  Plug,
  Search,
  Settings,
  SquareKanban,
  Users,
} from 'lucide-react';
import type { PermissionKey } from '../../core/permissions.ts';
import type { Text } from '../../core/text/en.ts';

type OrgPath = Extract<keyof RegisteredRouter['routesByPath'], '/o/$orgId' | `/o/$orgId/${string}`>;

/** A page of the navigation. */
export interface NavigationEntry {
  /** The address of a page that needs nothing but the organization. */
  readonly to: Exclude<OrgPath, `${string}/` | `/o/$orgId/${string}$${string}`>;
  readonly label: (text: Text) => string;
  readonly icon: LucideIcon;
  /** The right without which it is not shown. */
  readonly needs?: PermissionKey;
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
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    key: 'start',
    entries: [
      { to: '/o/$orgId', label: ({ nav }) => nav.home, icon: House, keys: 'g h' },
      {
        to: '/o/$orgId/inbox',
        label: ({ nav }) => nav.inbox,
        icon: Inbox,
        needs: 'approvals.view',
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
    entries: [{ to: '/o/$orgId/board', label: ({ nav }) => nav.board, icon: SquareKanban, keys: 'g b' }],
  },
  {
    key: 'build',
    label: ({ nav }) => nav.build,
    entries: [
      {
        to: '/o/$orgId/agents',
        label: ({ nav }) => nav.agents,
        icon: Bot,
        needs: 'agents.view',
        isAdvanced: true,
        keys: 'g a',
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
        needs: 'providers.view',
        isAdvanced: true,
        keys: 'g p',
      },
    ],
  },
  {
    key: 'org',
    label: ({ nav }) => nav.org,
    entries: [
      { to: '/o/$orgId/members', label: ({ nav }) => nav.members, icon: Users, isAdvanced: true, keys: 'g m' },
      { to: '/o/$orgId/settings', label: ({ nav }) => nav.settings, icon: Settings, keys: 'g ,' },
    ],
  },
];
