/** What a group can allow one by one. */
export const ALLOWLIST_NAMES = ['agentIds', 'skillKeys', 'toolKeys', 'personaIds', 'providerIds', 'chainIds'] as const;
export type AllowlistName = (typeof ALLOWLIST_NAMES)[number];

/**
 * The lists of one group. An empty list allows everything. A list keeps the ids of what was deleted since: it stays a
 * list, and allows nothing in its place.
 */
export type GroupAllowlists = Readonly<Record<AllowlistName, readonly string[]>>;

/** What may be used: everything, or these. */
export type Allowlist = 'all' | ReadonlySet<string>;
export type Allowlists = Readonly<Record<AllowlistName, Allowlist>>;

/** Allows everything. */
export const ALLOW_ALL: Allowlists = fromEach(() => 'all');

/** What a user may use who is in the group of these lists only. */
export function allowlistsOf(group: GroupAllowlists): Allowlists {
  return fromEach((name) => (group[name].length === 0 ? 'all' : new Set(group[name])));
}

/** What may be used by one or the other. */
export function uniteAllowlists(a: Allowlists, b: Allowlists): Allowlists {
  return fromEach((name) => {
    const [left, right] = [a[name], b[name]];
    return left === 'all' || right === 'all' ? 'all' : new Set([...left, ...right]);
  });
}

function fromEach(make: (name: AllowlistName) => Allowlist): Allowlists {
  return Object.fromEntries(ALLOWLIST_NAMES.map((name) => [name, make(name)])) as Record<AllowlistName, Allowlist>;
}
