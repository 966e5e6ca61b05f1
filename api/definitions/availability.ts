import { builtinTools } from '../../builtin/index.ts';
import { findHeldKinds } from '../../db/integrations/index.ts';
import { readLacking } from '../../db/workers.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';
import { type ToolNeeds, unmetNeed } from '../../domain/tools/index.ts';
import { type Named, type Problems, problemsOf, type Reading } from './usability.ts';

interface Definitions {
  readonly kind: DefinitionKind;
  readonly all: readonly Named[];
}

/** The tools of the service that need something. */
const NEEDS: ReadonlyMap<string, ToolNeeds> = new Map(
  builtinTools
    .filter((tool) => tool.needs !== undefined || tool.needs_integration !== undefined)
    .map(({ key, needs, needs_integration: needsIntegration }) => [key, { needs, needsIntegration }]),
);

const ONLY_IN_CHATS = new Set(builtinTools.flatMap((tool) => (tool.only_in_chats ? [tool.key] : [])));

/** Returns whether the calls of a tool make sense in a chat only. */
export function isOnlyInChats({ key, origin }: Pick<Named, 'key' | 'origin'>): boolean {
  return origin === 'builtin' && ONLY_IN_CHATS.has(key);
}

/** Finds out why definitions are not given to a model here and now: what is wrong with them, or what is missing. */
export async function reasonsOf(context: Reading, orgId: string, definitions: Definitions): Promise<Problems> {
  return withUnmetNeeds(context, orgId, { ...definitions, problems: await problemsOf(context, orgId, definitions) });
}

/**
 * Adds to what is wrong with definitions what they need and is not there. Reads nothing where none needs anything.
 */
export async function withUnmetNeeds(
  { database }: Pick<Reading, 'database'>,
  orgId: string,
  { kind, all, problems }: Definitions & { readonly problems: Problems },
): Promise<Problems> {
  const needing = (kind === 'tool' ? all : []).flatMap(({ id, key, origin }) => {
    const needs = origin === 'builtin' ? NEEDS.get(key) : undefined;
    return needs === undefined ? [] : [{ id, needs }];
  });
  if (needing.length === 0) return problems;
  const [lacking, integrations] = await Promise.all([
    readLacking(database, [...new Set(needing.flatMap(({ needs }) => needs.needs ?? []))]),
    findHeldKinds(database, orgId, [...new Set(needing.flatMap(({ needs }) => needs.needsIntegration ?? []))]),
  ]);
  const reasons = needing.flatMap(({ id, needs }) => {
    const reason = unmetNeed(needs, { lacking, integrations });
    return reason === undefined ? [] : [[id, reason] as const];
  });
  return new Map([...reasons, ...problems]);
}
