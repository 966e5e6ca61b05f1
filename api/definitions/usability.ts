import { builtinTools } from '../../builtin/index.ts';
import { findWithoutFile, type ListedDefinition } from '../../db/definitions/index.ts';
import { type DefinitionHead, type DefinitionKind, SKILL_FILE } from '../../domain/definitions/index.ts';
import { inspectDefinition } from '../../domain/tools/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Tools that are read at once. Those of them that are left out, because others are long, come with the next. */
const BATCH = 16;

const SHIPPED: ReadonlySet<string> = new Set(builtinTools.map(({ key }) => key));

/** What usability is found out with. */
type Reading = Pick<ApiContext, 'database' | 'definitions'>;

/** The words for people by the id of each definition that cannot be given to a model. */
type Problems = ReadonlyMap<string, string>;

const NO_INSTRUCTIONS = `${SKILL_FILE} is missing: it holds the instructions; write it as the file ${SKILL_FILE} of the skill`;

/** Finds out why definitions cannot be given to a model; a persona always can. */
export async function problemsOf(
  context: Reading,
  orgId: string,
  { kind, all }: { readonly kind: DefinitionKind; readonly all: readonly ListedDefinition[] },
): Promise<Problems> {
  if (kind === 'tool') return problemsOfTools(context, orgId, all);
  return kind === 'skill' ? problemsOfSkills(context, orgId, all) : new Map();
}

async function problemsOfSkills(
  { database, definitions }: Reading,
  orgId: string,
  skills: readonly ListedDefinition[],
): Promise<Problems> {
  const idsOf = (wanted: 'builtin' | 'own') =>
    skills.filter(({ origin }) => (origin === 'builtin') === (wanted === 'builtin')).map(({ id }) => id);
  const builtin = idsOf('builtin').filter((id) => !definitions.shipped.findById('skill', id)?.files.has(SKILL_FILE));
  const own = await findWithoutFile(database, orgId, { ids: idsOf('own'), path: SKILL_FILE });
  return new Map([...builtin, ...own].map((id) => [id, NO_INSTRUCTIONS]));
}

async function problemsOfTools(
  { definitions }: Reading,
  orgId: string,
  tools: readonly ListedDefinition[],
): Promise<Problems> {
  const problems = new Map<string, string>();
  const own = tools.filter(({ origin }) => origin !== 'builtin');
  for (const tool of tools.filter(({ origin }) => origin === 'builtin')) {
    const definition = definitions.shipped.findById('tool', tool.id);
    const inspection = definition && inspectDefinition(definition);
    if (inspection && 'problem' in inspection && !isPartOfService(tool)) problems.set(tool.id, inspection.problem);
  }
  const seen = own.length > 0 ? await definitions.versionOf(orgId) : 0;
  let keys = own.map(({ key }) => key);
  while (keys.length > 0) {
    const read = await definitions.read(orgId, 'tool', keys.slice(0, BATCH), seen);
    const leftOut = read.filter(({ isLeftOut }) => isLeftOut);
    for (const definition of read.filter((each) => !leftOut.includes(each))) {
      const inspection = inspectDefinition(definition);
      if ('problem' in inspection) problems.set(definition.id, inspection.problem);
    }
    keys = [...leftOut.map(({ key }) => key), ...keys.slice(BATCH)];
  }
  return problems;
}

// Its definition has no runtime: it describes a tool that every worker has.
function isPartOfService({ key }: DefinitionHead): boolean {
  return SHIPPED.has(key);
}
