import type { Definitions } from '../../db/definitions/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { DefinitionHead, DefinitionKind } from '../../domain/definitions/index.ts';
import { type GroupAllowlists, isPermissionKey } from '../../domain/permissions/index.ts';
import { type AllowlistName, ALLOWLISTS, type DeclaredAllowlist, resourceOf } from '../../domain/resources.ts';

/** The kinds of definitions that allowlists hold, by the name of the list. */
const KINDS: ReadonlyMap<AllowlistName, DefinitionKind> = new Map([
  ['toolKeys', 'tool'],
  ['skillKeys', 'skill'],
  ['personaIds', 'persona'],
]);

/** Lists the definitions that can go into an allowlist; undefined for a list of other records. */
export async function assignableDefinitions(
  definitions: Definitions,
  orgId: string,
  { name }: DeclaredAllowlist,
): Promise<readonly DefinitionHead[] | undefined> {
  const kind = KINDS.get(name);
  return kind === undefined ? undefined : definitions.heads(orgId, kind);
}

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

/** Rejects definitions that do not exist; other lists hold ids of records, which are looked up. */
export async function checkAddedDefinitions(
  definitions: Definitions,
  orgId: string,
  additions: readonly (readonly [DeclaredAllowlist, readonly string[]])[],
): Promise<void> {
  for (const [list, added] of additions) {
    if (added.length === 0) continue;
    const heads = await assignableDefinitions(definitions, orgId, list);
    const known = heads && new Set(heads.map(({ id, key }) => (list.holds === 'ids' ? id : key)));
    if (known !== undefined && added.some((each) => !known.has(each))) throw notFound(resourceOf(list.resource).name);
  }
}
