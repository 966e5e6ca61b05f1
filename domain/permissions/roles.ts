import type { PermissionKey } from './keys.ts';

/** Roles of a member in an organization, lowest first. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Returns whether a role holds a key when no permission group narrows it. Viewers see, also shared conversations;
 * members also change everything but the settings; admins and owners hold every key.
 */
export function roleHolds(role: Role, key: PermissionKey): boolean {
  return HOLDS[role](key);
}

/** Returns whether permission groups mean nothing to a role. */
export function bypassesGroups(role: Role): boolean {
  return role === 'admin' || role === 'owner';
}

const HOLDS: Readonly<Record<Role, (key: PermissionKey) => boolean>> = {
  viewer: (key) => key.endsWith('.view') || key === 'chats.view_shared',
  member: (key) => key !== 'settings.manage',
  admin: () => true,
  owner: () => true,
};
