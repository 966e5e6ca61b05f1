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

/** What one or several groups grant. */
export interface Grants {
  readonly keys: ReadonlySet<PermissionKey>;
  readonly limits: PolicyLimits;
  readonly allowlists: Allowlists;
  /** Of several, that of the group that was made first. */
  readonly defaultChain: { readonly groupId: string; readonly chainId: string } | null;
}

/** What a user may do in an organization. */
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

/** What a group grants to somebody who is in no other. */
export function grantsOf(group: GroupRules): Grants {
  const { id: groupId, defaultChainId: chainId } = group;
  return {
    keys: withImplied(group.permissions),
    limits: limitsOf(group.limits),
    allowlists: allowlistsOf(group.allowlists),
    defaultChain: chainId === null ? null : { groupId, chainId },
  };
}

/** What two sets of groups grant together: nothing that one grants is lost by the other. */
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
 * What a member may do. Groups mean nothing to administrators; others they narrow: who is in a group has what the role
 * holds and a group grants. Who is in none has what the role holds.
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

/** Whether the policy holds a key. */
export function policyAllows({ keys }: Policy, key: PermissionKey): boolean {
  return keys.has(key);
}

/** Whether the policy lets a thing be used, by its id or key. */
export function permits({ allowlists }: Policy, list: AllowlistName, id: string): boolean {
  const allowed = allowlists[list];
  return allowed === 'all' || allowed.has(id);
}
