import { RESOURCES, type ResourceKey } from './resources.ts';

/** An allowlist as its resource declares it. */
export type DeclaredAllowlist = NonNullable<ReturnType<typeof allowlistOf>>;

/** The name of an allowlist in a policy. */
export type AllowlistName = DeclaredAllowlist['name'];

/** The names of the allowlists that hold ids of records. */
export type AllowlistOfIds = Extract<DeclaredAllowlist, { readonly holds: 'ids' }>['name'];

/** Returns the allowlist of a resource; undefined when its records are not allowed one by one. */
export function allowlistOf(resource: ResourceKey) {
  const declared = RESOURCES[resource];
  return 'allowlist' in declared ? { resource, ...declared.allowlist } : undefined;
}

/** Every allowlist that a permission group has. */
export const ALLOWLISTS: readonly DeclaredAllowlist[] = (Object.keys(RESOURCES) as ResourceKey[]).flatMap(
  (resource) => allowlistOf(resource) ?? [],
);
