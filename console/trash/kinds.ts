import type { PermissionKey } from '../core/permissions.ts';

/** The kinds of records that can be restored, in the order of their tabs. */
export const KINDS = ['chats', 'agents', 'providers', 'projects'] as const;
export type Kind = (typeof KINDS)[number];

/** The right without which somebody is not shown what was deleted; everybody may restore chats of their own. */
export const NEEDED: Readonly<Record<Exclude<Kind, 'chats'>, PermissionKey>> = {
  agents: 'agents.manage',
  providers: 'providers.manage',
  projects: 'projects.manage',
};
