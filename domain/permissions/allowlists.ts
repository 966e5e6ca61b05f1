import { recordBy } from '../core/objects/record-by.ts';
import { type AllowlistName, ALLOWLISTS } from '../resources/index.ts';

/**
 * The lists of one group. An empty list allows everything. A list keeps the ids of what was deleted since: it stays a
 * list, and allows nothing in its place.
 */
export type GroupAllowlists = Readonly<Record<AllowlistName, readonly string[]>>;

/** The lists of a group that allows everything. */
export const EMPTY_ALLOWLISTS: GroupAllowlists = recordBy(ALLOWLISTS, 'name', () => []);

/** The things that may be used: all, or these. */
export type Allowlist = 'all' | ReadonlySet<string>;
export type Allowlists = Readonly<Record<AllowlistName, Allowlist>>;

/** Allows everything. */
export const ALLOW_ALL: Allowlists = recordBy(ALLOWLISTS, 'name', () => 'all' as const);

/** Returns the allowlists of a user who is in this group only. */
export function allowlistsOf(group: GroupAllowlists): Allowlists {
  return recordBy(ALLOWLISTS, 'name', ({ name }) => (group[name].length === 0 ? 'all' : new Set(group[name])));
}

/** Returns the union of two sets of allowlists. */
export function uniteAllowlists(a: Allowlists, b: Allowlists): Allowlists {
  return recordBy(ALLOWLISTS, 'name', ({ name }) => {
    const [left, right] = [a[name], b[name]];
    return left === 'all' || right === 'all' ? 'all' : new Set([...left, ...right]);
  });
}
