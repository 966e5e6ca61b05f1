import { builtinTools } from '../../builtin/index.ts';
import { findWithoutFile } from '../../db/definitions/index.ts';
import { findToolProblems } from '../../db/integrations/index.ts';
import {
  type Definition,
  type DefinitionHead,
  type DefinitionKind,
  SKILL_FILE,
} from '../../domain/definitions/index.ts';
import { inspectDefinition } from '../../domain/tools/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Tools that are read at once. Those of them that are left out, because others are long, come with the next. */
const BATCH = 16;

const SHIPPED: ReadonlySet<string> = new Set(builtinTools.map(({ key }) => key));

/** What usability is found out with. */
export type Reading = Pick<ApiContext, 'database' | 'definitions'>;

/** A definition, as far as it has to be known to be looked at. */
export type Named = Pick<DefinitionHead, 'id' | 'key' | 'origin'>;

/** The words for people by the id of each definition that cannot be given to a model. */
export type Problems = ReadonlyMap<string, string>;

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
