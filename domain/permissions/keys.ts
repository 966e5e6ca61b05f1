import { type Area, AREAS, RESERVED_AREAS } from '../resources.ts';

/** A right that roles and permission groups grant. */
export type PermissionKey = `${Area}.${'view' | 'manage'}` | 'ui.advanced_mode' | 'chats.view_shared';

/** A permission key as administrators choose it. */
interface CatalogKey {
  readonly key: PermissionKey;
  readonly area: string;
  readonly label: string;
  /** Keys that come with it. */
  readonly implies: readonly PermissionKey[];
  /** Whether nothing asks for it yet. */
  readonly isReserved: boolean;
}

/** Every permission key there is. */
export const PERMISSION_CATALOG: readonly CatalogKey[] = [
  ...(Object.keys(AREAS) as Area[]).flatMap(keysOf),
  {
    key: 'ui.advanced_mode',
    area: 'ui',
    label: 'Use the advanced mode of the console',
    implies: [],
    isReserved: false,
  },
  {
    key: 'chats.view_shared',
    area: 'chats',
    label: 'See the shared conversations of other members',
    implies: [],
    isReserved: false,
  },
];

function keysOf(area: Area): CatalogKey[] {
  const isReserved = RESERVED_AREAS.has(area);
  const name = `${AREAS[area]}${isReserved ? ' (reserved)' : ''}`;
  return [
    { key: `${area}.view`, area, label: `${name}: view`, implies: [], isReserved },
    { key: `${area}.manage`, area, label: `${name}: view and change`, implies: [`${area}.view`], isReserved },
  ];
}

const BY_KEY: ReadonlyMap<string, CatalogKey> = new Map(PERMISSION_CATALOG.map((entry) => [entry.key, entry]));

/** Returns whether a text is a permission key; letters, blanks and wildcards count as they are written. */
export function isPermissionKey(text: string): text is PermissionKey {
  return BY_KEY.has(text);
}

/** Returns a text in which each permission is called what the catalog calls it, instead of by its key. */
export function namePermissions(text: string): string {
  return PERMISSION_CATALOG.reduce(
    (words, { key, label }) => words.replaceAll(`permission ${key}`, `permission “${label}”`),
    text,
  );
}

/**
 * Returns the keys among the texts and all that come with them. What is no key, or is none any more, grants nothing.
 */
export function withImplied(texts: Iterable<string>): Set<PermissionKey> {
  const entries = [...texts].flatMap((text) => BY_KEY.get(text) ?? []);
  return new Set(entries.flatMap(({ key, implies }) => [key, ...implies]));
}

/** Roles of a member in an organization, lowest first. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Returns whether a role grants a key when no permission group narrows it. Viewers see, also shared conversations;
 * members also change everything but the settings; admins and owners have every key.
 */
export function roleGrants(role: Role, key: PermissionKey): boolean {
  return GRANTS[role](key);
}

/** Returns whether permission groups mean nothing to a role. */
export function bypassesGroups(role: Role): boolean {
  return role === 'admin' || role === 'owner';
}

const GRANTS: Readonly<Record<Role, (key: PermissionKey) => boolean>> = {
  viewer: (key) => key.endsWith('.view') || key === 'chats.view_shared',
  member: (key) => key !== 'settings.manage',
  admin: () => true,
  owner: () => true,
};
