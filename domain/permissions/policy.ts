import type { AllowlistName } from '../resources/index.ts';
import { ALLOW_ALL, type Allowlists, allowlistsOf, type GroupAllowlists, uniteAllowlists } from './allowlists.ts';
import { PERMISSION_CATALOG, type PermissionKey, withImplied } from './keys.ts';
import { type GroupLimits, limitsOf, type PolicyLimits, uniteLimits, UNLIMITED } from './limits.ts';
import { bypassesGroups, type Role, roleHolds } from './roles.ts';

/** A permission group, as far as it decides what its members may do. */
export interface GroupRules {
  readonly id: string;
  readonly permissions: readonly string[];
  readonly limits: GroupLimits;
  readonly allowlists: GroupAllowlists;
  /** The chain that its members' turns go by, whatever chat and agent say. */
  readonly defaultChainId: string | null;
}

/** The rights that one or several groups grant. */
export interface Grants {
  readonly keys: ReadonlySet<PermissionKey>;
  readonly limits: PolicyLimits;
  readonly allowlists: Allowlists;
  /** The default chain; with several groups, that of the group made first. */
  readonly defaultChain: { readonly groupId: string; readonly chainId: string } | null;
}

/** The rights of a user in an organization. */
export interface Policy {
  readonly role: Role;
  /** Whether permission groups narrow the role. */
  readonly isRestricted: boolean;
  readonly keys: ReadonlySet<PermissionKey>;
  readonly limits: PolicyLimits;
  readonly allowlists: Allowlists;
  /** The provider chain that every turn must go by. */
  readonly defaultChainId: string | null;
}

/** Returns the rights that one group grants by itself. */
export function grantsOf(group: GroupRules): Grants {
  const { id: groupId, defaultChainId: chainId } = group;
  return {
    keys: withImplied(group.permissions),
    limits: limitsOf(group.limits),
    allowlists: allowlistsOf(group.allowlists),
    defaultChain: chainId === null ? null : { groupId, chainId },
  };
}

/** Returns the union of two grants: nothing that one of them grants is lost. */
export function uniteGrants(a: Grants, b: Grants): Grants {
  return {
    keys: new Set([...a.keys, ...b.keys]),
    limits: uniteLimits(a.limits, b.limits),
    allowlists: uniteAllowlists(a.allowlists, b.allowlists),
    defaultChain: firstChain(a.defaultChain, b.defaultChain),
  };
}

function firstChain(a: Grants['defaultChain'], b: Grants['defaultChain']): Grants['defaultChain'] {
  if (a === null || b === null) return a ?? b;
  return b.groupId < a.groupId ? b : a;
}

/**
 * Returns the policy of a member. Groups do not restrict administrators. A member in any group has the keys that both
 * the role and some group hold; a member in no group has those of the role.
 */
export function policyOf(role: Role, groups: readonly GroupRules[]): Policy {
  const [first, ...others] = bypassesGroups(role) ? [] : groups.map(grantsOf);
  const ofRole = PERMISSION_CATALOG.map(({ key }) => key).filter((key) => roleHolds(role, key));
  if (first === undefined) {
    const keys = new Set(ofRole);
    return { role, isRestricted: false, keys, limits: UNLIMITED, allowlists: ALLOW_ALL, defaultChainId: null };
  }
  const { keys, limits, allowlists, defaultChain } = others.reduce(uniteGrants, first);
  const defaultChainId = defaultChain?.chainId ?? null;
  return {
    role,
    isRestricted: true,
    keys: new Set(ofRole.filter((key) => keys.has(key))),
    limits,
    allowlists: withChain(allowlists, defaultChainId),
    defaultChainId,
  };
}

// Who must use a chain may use it.
function withChain(allowlists: Allowlists, chainId: string | null): Allowlists {
  const { chainIds } = allowlists;
  if (chainId === null || chainIds === 'all') return allowlists;
  return { ...allowlists, chainIds: new Set([...chainIds, chainId]) };
}

/** Returns whether the policy holds a key. */
export function policyAllows({ keys }: Pick<Policy, 'keys'>, key: PermissionKey): boolean {
  return keys.has(key);
}

/**
 * Returns whether a user who holds the `manage` key of a resource may change a record of it that decides which server
 * the agents of others reach: one that they have added, or any, where an administrator has made them one or grants them
 * the key by a permission group. By their role alone members hold it for their own.
 */
export function mayRedirect(
  policy: Pick<Policy, 'isRestricted' | 'keys'>,
  userId: string,
  { ownerId }: { readonly ownerId: string | null },
): boolean {
  return ownerId === userId || policy.isRestricted || policyAllows(policy, 'settings.manage');
}

/** Returns whether the policy lets a thing be used, by its id or key. */
export function permits({ allowlists }: Policy, list: AllowlistName, id: string): boolean {
  const allowed = allowlists[list];
  return allowed === 'all' || allowed.has(id);
}
