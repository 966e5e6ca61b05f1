import { builtinTools } from '../../builtin/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import {
  ALLOWLIST_NAMES,
  type AllowlistName,
  type GroupAllowlists,
  isPermissionKey,
} from '../../domain/permissions/index.ts';
import { agentSpawn } from '../../domain/prompts/index.ts';

/** Something that an allowlist names by a key. */
interface Keyed {
  readonly key: string;
  readonly name: string;
}

const AGENT_SPAWN: Keyed = { key: agentSpawn.name, name: 'Hand work to other agents' };

/** The tools that can go into an allowlist. */
export const ASSIGNABLE_TOOLS: readonly Keyed[] = [
  ...builtinTools.map(({ key, name }) => ({ key, name })),
  AGENT_SPAWN,
];

/** The skills that can go into an allowlist: those that mean something to the service by now. */
export const ASSIGNABLE_SKILLS: readonly Keyed[] = [AGENT_SPAWN];

/** Refuses keys that no catalog has. */
export function checkPermissionKeys(keys: readonly string[] | undefined): void {
  const unknown = keys?.find((key) => !isPermissionKey(key));
  if (unknown !== undefined) throw new AppError('invalid', `"${unknown}" is not a permission key`);
}

/** What a change adds to each allowlist: what is in one already may have been deleted since, and stays. */
export function additionsTo(
  present: GroupAllowlists | undefined,
  wanted: GroupAllowlists | undefined,
): [AllowlistName, readonly string[]][] {
  if (wanted === undefined) return [];
  return ALLOWLIST_NAMES.map((list) => {
    const known = new Set(present?.[list]);
    return [list, wanted[list].filter((item) => !known.has(item))];
  });
}

/** Refuses tools and skills that do not exist; other lists hold ids of records, and are looked up. */
export function checkAddedKeys(list: AllowlistName, added: readonly string[]): void {
  if (list === 'toolKeys' && hasUnknown(ASSIGNABLE_TOOLS, added)) throw notFound('Tool');
  if (list === 'skillKeys' && hasUnknown(ASSIGNABLE_SKILLS, added)) throw notFound('Skill');
}

function hasUnknown(known: readonly Keyed[], keys: readonly string[]): boolean {
  return keys.some((wanted) => !known.some(({ key }) => key === wanted));
}
