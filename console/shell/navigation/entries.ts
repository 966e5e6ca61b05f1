import { Bot, House, type LucideIcon, MessageSquare, Plug } from 'lucide-react';
import type { PermissionKey } from '../../core/permissions.ts';
import type { Text } from '../../core/text/en.ts';

/** A page of the navigation. */
export interface NavigationEntry {
  readonly to: '/o/$orgId' | '/o/$orgId/chats' | '/o/$orgId/agents' | '/o/$orgId/providers';
  readonly label: (text: Text) => string;
  readonly icon: LucideIcon;
  /** The right without which it is not shown. */
  readonly needs?: PermissionKey;
  readonly keys: string;
}

/** The pages of an organization, in the order of the navigation. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { to: '/o/$orgId', label: ({ nav }) => nav.home, icon: House, keys: 'g h' },
  { to: '/o/$orgId/chats', label: ({ nav }) => nav.chats, icon: MessageSquare, keys: 'g c' },
  { to: '/o/$orgId/agents', label: ({ nav }) => nav.agents, icon: Bot, needs: 'agents.view', keys: 'g a' },
  { to: '/o/$orgId/providers', label: ({ nav }) => nav.providers, icon: Plug, needs: 'providers.view', keys: 'g p' },
];
