import type { PermissionKey, Role } from '../../domain/permissions/keys.ts';

// What the specification and the decisions say of roles, written down once more: what the product answers is held
// against this table, and not against the functions that it answers by.

/** Whom a route that asks for a role lets in (specification, Authentication: viewer < member < admin < owner). */
const LET_IN: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer', 'member', 'admin', 'owner'],
  member: ['member', 'admin', 'owner'],
  admin: ['admin', 'owner'],
  owner: ['owner'],
};

/** The keys that roles differ in. */
type KeyKind = 'view' | 'manage' | 'settings.manage' | 'ui.advanced_mode' | 'chats.view_shared';

/** What each role holds without groups as docs/permissions.md says. */
const RIGHTS: Readonly<Record<Role, readonly KeyKind[]>> = {
  viewer: ['view', 'chats.view_shared'],
  member: ['view', 'chats.view_shared', 'manage', 'ui.advanced_mode'],
  admin: ['view', 'chats.view_shared', 'manage', 'ui.advanced_mode', 'settings.manage'],
  owner: ['view', 'chats.view_shared', 'manage', 'ui.advanced_mode', 'settings.manage'],
};

/** Returns whether a route that asks for the role `least` is open to a role. */
export function isWrittenLetIn(role: Role, least: Role): boolean {
  return LET_IN[least].includes(role);
}

/** Returns whether a role holds a key when no group narrows it. */
export function isWrittenRight(role: Role, key: PermissionKey): boolean {
  return RIGHTS[role].includes(kindOf(key));
}

function kindOf(key: PermissionKey): KeyKind {
  if (key === 'settings.manage' || key === 'ui.advanced_mode' || key === 'chats.view_shared') return key;
  return key.endsWith('.view') ? 'view' : 'manage';
}
