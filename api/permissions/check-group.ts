import { builtinTools } from '../../builtin/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { type GroupAllowlists, isPermissionKey } from '../../domain/permissions/index.ts';
import { ALLOWLISTS, type AllowlistOfKeys, type DeclaredAllowlist, resourceOf } from '../../domain/resources/index.ts';
import { AGENT_SPAWN } from '../../domain/tool-calls/index.ts';

/** A thing that an allowlist names by a key. */
interface Keyed {
  readonly key: string;
  readonly name: string;
}

const TOOLS: readonly Keyed[] = builtinTools.map(({ key, name }) => ({ key, name }));

/** The keys that can go into the allowlists. Assignable skills are those that the service uses. */
export const ASSIGNABLE_KEYS: Readonly<Record<AllowlistOfKeys, readonly Keyed[]>> = {
  toolKeys: TOOLS,
  skillKeys: TOOLS.filter(({ key }) => key === AGENT_SPAWN),
};

/** Rejects unknown permission keys. */
export function checkPermissionKeys(keys: readonly string[] | undefined): void {
  const unknown = keys?.find((key) => !isPermissionKey(key));
  if (unknown !== undefined) throw new AppError('invalid', `"${unknown}" is not a permission key`);
}

/** Returns the additions of a change to each allowlist: present entries may have been deleted since, and stay. */
export function additionsTo(
  present: GroupAllowlists | undefined,
  wanted: GroupAllowlists | undefined,
): [DeclaredAllowlist, readonly string[]][] {
  if (wanted === undefined) return [];
  return ALLOWLISTS.map((list) => {
    const known = new Set(present?.[list.name]);
    return [list, wanted[list.name].filter((item) => !known.has(item))];
  });
}

/** Rejects unknown keys; other lists hold ids of records, and are looked up. */
export function checkAddedKeys(list: DeclaredAllowlist, added: readonly string[]): void {
  if (list.holds === 'ids') return;
  const known = new Set(ASSIGNABLE_KEYS[list.name].map(({ key }) => key));
  if (added.some((key) => !known.has(key))) throw notFound(resourceOf(list.resource).name);
}
