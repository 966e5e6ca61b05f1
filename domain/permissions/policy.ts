import { recordBy } from '../core/objects.ts';
import { type AllowlistName, ALLOWLISTS } from '../resources.ts';
import { bypassesGroups, PERMISSION_CATALOG, type PermissionKey, type Role, roleGrants, withImplied } from './keys.ts';

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
 * the role and some group grant; a member in no group has those of the role.
 */
export function policyOf(role: Role, groups: readonly GroupRules[]): Policy {
  const [first, ...others] = bypassesGroups(role) ? [] : groups.map(grantsOf);
  const ofRole = PERMISSION_CATALOG.map(({ key }) => key).filter((key) => roleGrants(role, key));
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

// A user who must use a chain may use it.
function withChain(allowlists: Allowlists, chainId: string | null): Allowlists {
  const { chainIds } = allowlists;
  if (chainId === null || chainIds === 'all') return allowlists;
  return { ...allowlists, chainIds: new Set([...chainIds, chainId]) };
}

/** Returns whether the policy grants a key. */
export function policyAllows({ keys }: Pick<Policy, 'keys'>, key: PermissionKey): boolean {
  return keys.has(key);
}

/**
 * Returns whether a user who has the `manage` key of a resource may change a record of it that decides which server the
 * agents of others reach: one that they have added, or any, where an administrator has made them one or grants them the
 * key by a permission group. By their role alone members have it for their own.
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

/**
 * The lists of one group. An empty list allows everything. A list keeps the ids of what was deleted since: the list
 * still restricts, and allows nothing else instead.
 */
export type GroupAllowlists = Readonly<Record<AllowlistName, readonly string[]>>;

/** The lists of a group that allows everything. */
export const EMPTY_ALLOWLISTS: GroupAllowlists = recordBy(ALLOWLISTS, 'name', () => []);

/** The things that may be used: all, or these. */
type Allowlist = 'all' | ReadonlySet<string>;
type Allowlists = Readonly<Record<AllowlistName, Allowlist>>;

/** Allows everything. */
const ALLOW_ALL: Allowlists = recordBy(ALLOWLISTS, 'name', () => 'all' as const);

/** Returns the allowlists of a user who is in this group only. */
function allowlistsOf(group: GroupAllowlists): Allowlists {
  return recordBy(ALLOWLISTS, 'name', ({ name }) => (group[name].length === 0 ? 'all' : new Set(group[name])));
}

/** Returns the union of two sets of allowlists. */
function uniteAllowlists(a: Allowlists, b: Allowlists): Allowlists {
  return recordBy(ALLOWLISTS, 'name', ({ name }) => {
    const [left, right] = [a[name], b[name]];
    return left === 'all' || right === 'all' ? 'all' : new Set([...left, ...right]);
  });
}

/** The limits of one group, as its administrator set them. 0 is unlimited; a window of 0 hours is all time. */
export interface GroupLimits {
  readonly tokenBudget: number;
  readonly tokenWindowHours: number;
  readonly maxConcurrentAgents: number;
  readonly maxProviderAccounts: number;
}

/** Tokens that may be used within a sliding window; a window of 0 hours is all time. */
export interface TokenBudget {
  readonly tokens: number;
  readonly windowHours: number;
}

/** The limits that apply to a user. */
interface PolicyLimits {
  /** The user is blocked when every one of them is used up; without any they are never. */
  readonly budgets: readonly TokenBudget[];
  /** 0 is unlimited. */
  readonly maxConcurrentAgents: number;
  /** 0 is unlimited. */
  readonly maxProviderAccounts: number;
}

/** The limits of a user whom no group limits. */
const UNLIMITED: PolicyLimits = { budgets: [], maxConcurrentAgents: 0, maxProviderAccounts: 0 };

/** Returns the limits of a user who is in this group only. */
function limitsOf(group: GroupLimits): PolicyLimits {
  const { tokenBudget: tokens, tokenWindowHours: windowHours, maxConcurrentAgents, maxProviderAccounts } = group;
  return { budgets: tokens === 0 ? [] : [{ tokens, windowHours }], maxConcurrentAgents, maxProviderAccounts };
}

/**
 * Returns the more generous of two limits in each dimension. Budget and window are one dimension: either pair may be
 * used.
 */
function uniteLimits(a: PolicyLimits, b: PolicyLimits): PolicyLimits {
  return {
    budgets: uniteBudgets(a.budgets, b.budgets),
    maxConcurrentAgents: moreGenerous(a.maxConcurrentAgents, b.maxConcurrentAgents),
    maxProviderAccounts: moreGenerous(a.maxProviderAccounts, b.maxProviderAccounts),
  };
}

function moreGenerous(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.max(a, b);
}

function uniteBudgets(a: readonly TokenBudget[], b: readonly TokenBudget[]): TokenBudget[] {
  if (a.length === 0 || b.length === 0) return [];
  const distinct = new Map([...a, ...b].map((budget) => [`${budget.tokens}/${budget.windowHours}`, budget]));
  const all = [...distinct.values()].toSorted((x, y) => lengthOf(x) - lengthOf(y) || y.tokens - x.tokens);
  // A pair that is used up whenever another one is says nothing of its own.
  return all.filter((budget) => !all.some((other) => other !== budget && isAsGenerous(other, budget)));
}

function isAsGenerous(a: TokenBudget, b: TokenBudget): boolean {
  return a.tokens >= b.tokens && lengthOf(a) <= lengthOf(b);
}

function lengthOf({ windowHours }: TokenBudget): number {
  return windowHours === 0 ? Number.POSITIVE_INFINITY : windowHours;
}
