/** Roles of a member in an organization, lowest first. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The areas that have a `view` and a `manage` key (specification, "Permission keys"). */
const AREAS = [
  'agents',
  'personas',
  'skills',
  'tools',
  'mcp_servers',
  'knowledge_bases',
  'memory',
  'projects',
  'tasks',
  'issues',
  'proposals',
  'approvals',
  'schedules',
  'channels',
  'providers',
  'integrations',
  'marketplace',
  'webhooks',
  'settings',
] as const;
export type PermissionKey = `${(typeof AREAS)[number]}.${'view' | 'manage'}` | 'ui.advanced_mode' | 'chats.view_shared';

/**
 * Whether a role holds a key when no permission group narrows it: viewers see, members also change everything but the
 * settings, admins and owners hold every key.
 */
export function roleHolds(role: Role, key: PermissionKey): boolean {
  return HOLDS[role](key);
}

const HOLDS: Readonly<Record<Role, (key: PermissionKey) => boolean>> = {
  viewer: (key) => key.endsWith('.view'),
  member: (key) => key !== 'settings.manage',
  admin: () => true,
  owner: () => true,
};
