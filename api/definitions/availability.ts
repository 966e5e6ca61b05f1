import { builtinTools } from '../../builtin/index.ts';
import { readLacking } from '../../db/workers/index.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';
import type { Facility } from '../../domain/tools/index.ts';
import { type Named, type Problems, problemsOf, type Reading } from './usability.ts';

interface Definitions {
  readonly kind: DefinitionKind;
  readonly all: readonly Named[];
}

const NEEDS: ReadonlyMap<string, Facility> = new Map(
  builtinTools.flatMap(({ key, needs }) => (needs === undefined ? [] : [[key, needs] as const])),
);

/** Finds out why definitions are not given to a model here and now: what is wrong with them, or with the workers. */
export async function reasonsOf(context: Reading, orgId: string, definitions: Definitions): Promise<Problems> {
  return withLacking(context, definitions, await problemsOf(context, orgId, definitions));
}

/** Adds to what is wrong with definitions what the workers lack. Reads nothing where none needs anything of them. */
export async function withLacking(
  { database }: Pick<Reading, 'database'>,
  { kind, all }: Definitions,
  problems: Problems,
): Promise<Problems> {
  const needs = (kind === 'tool' ? all : []).flatMap(({ id, key, origin }) => {
    const needed = origin === 'builtin' ? NEEDS.get(key) : undefined;
    return needed === undefined ? [] : [{ id, needed }];
  });
  if (needs.length === 0) return problems;
  const lacking = await readLacking(database, [...new Set(needs.map(({ needed }) => needed))]);
  const reasons = needs.flatMap(({ id, needed }) => {
    const reason = lacking[needed];
    return reason === undefined ? [] : [[id, reason] as const];
  });
  return new Map([...reasons, ...problems]);
}
