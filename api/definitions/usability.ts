import { builtinTools } from '../../builtin/index.ts';
import { findKindsInUse, findToolProblems } from '../../db/integrations/connections.ts';
import { readLacking } from '../../db/workers.ts';
import type { Definition, DefinitionHead, DefinitionKind } from '../../domain/definitions/definition.ts';
import { SKILL_FILE } from '../../domain/definitions/files.ts';
import { inspectDefinition } from '../../domain/tools/inspect-tool.ts';
import { type ToolNeeds, unmetNeed } from '../../domain/tools/needs.ts';
import { findWithoutFile } from '../../db/definitions/read-definitions.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Tools that are read at once. Those of them that are left out, because others are long, come with the next. */
const BATCH = 16;

const SHIPPED: ReadonlySet<string> = new Set(builtinTools.map(({ key }) => key));

/** The dependencies of checking usability. */
type Reading = Pick<ApiContext, 'database' | 'definitions'>;

/** The fields of a definition that its usability depends on. */
type Named = Pick<DefinitionHead, 'id' | 'key' | 'origin'>;

/** The words for people by the id of each definition that cannot be given to a model. */
type Problems = ReadonlyMap<string, string>;

const NO_INSTRUCTIONS = `${SKILL_FILE} is missing: it holds the instructions; write it as the file ${SKILL_FILE} of the skill`;

/** Finds out why definitions cannot be given to a model; a persona always can. */
export async function problemsOf(
  context: Reading,
  orgId: string,
  { kind, all }: { readonly kind: DefinitionKind; readonly all: readonly Named[] },
): Promise<Problems> {
  if (kind === 'tool') return problemsOfTools(context, orgId, all);
  return kind === 'skill' ? problemsOfSkills(context, orgId, all) : new Map();
}

async function problemsOfSkills(
  { database, definitions }: Reading,
  orgId: string,
  skills: readonly Named[],
): Promise<Problems> {
  const idsOf = (wanted: 'builtin' | 'own') =>
    skills.filter(({ origin }) => (origin === 'builtin') === (wanted === 'builtin')).map(({ id }) => id);
  const builtin = idsOf('builtin').filter((id) => !definitions.shipped.findById('skill', id)?.files.has(SKILL_FILE));
  const own = await findWithoutFile(database, orgId, { ids: idsOf('own'), path: SKILL_FILE });
  return new Map([...builtin, ...own].map((id) => [id, NO_INSTRUCTIONS]));
}

async function problemsOfTools(
  { definitions, database }: Reading,
  orgId: string,
  tools: readonly Named[],
): Promise<Problems> {
  const own = tools.filter(({ origin }) => origin !== 'builtin');
  const shipped = tools
    .filter(({ origin }) => origin === 'builtin')
    .flatMap(({ id }) => definitions.shipped.findById('tool', id) ?? []);
  const problems = await problemsAmong(database, orgId, shipped);
  const seen = own.length > 0 ? await definitions.versionOf(orgId) : 0;
  let keys = own.map(({ key }) => key);
  while (keys.length > 0) {
    const read = await definitions.read(orgId, 'tool', keys.slice(0, BATCH), seen);
    const leftOut = read.filter(({ isLeftOut }) => isLeftOut);
    const whole = read.filter((each) => !leftOut.includes(each));
    for (const [id, problem] of await problemsAmong(database, orgId, whole)) problems.set(id, problem);
    keys = [...leftOut.map(({ key }) => key), ...keys.slice(BATCH)];
  }
  return problems;
}

async function problemsAmong(
  database: ApiContext['database'],
  orgId: string,
  definitions: readonly Definition[],
): Promise<Map<string, string>> {
  const own = definitions.filter((each) => !isPartOfService(each));
  const problems = await findToolProblems(database, orgId, own);
  return new Map(own.flatMap(({ id, key }) => (problems.has(key) ? [[id, problems.get(key) ?? '']] : [])));
}

// Its definition has no runtime: it describes a tool that every worker has.
function isPartOfService(definition: Definition): boolean {
  return definition.origin === 'builtin' && SHIPPED.has(definition.key) && 'problem' in inspectDefinition(definition);
}

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
    findKindsInUse(database, orgId, [...new Set(needing.flatMap(({ needs }) => needs.needsIntegration ?? []))]),
  ]);
  const reasons = needing.flatMap(({ id, needs }) => {
    const reason = unmetNeed(needs, { lacking, integrations });
    return reason === undefined ? [] : [[id, reason] as const];
  });
  return new Map([...reasons, ...problems]);
}
