import { builtinTools } from '../../builtin/index.ts';
import type { ListedDefinition } from '../../db/definitions/index.ts';
import type { DefinitionHead } from '../../domain/definitions/index.ts';
import { inspectDefinition } from '../../domain/tools/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Tools that are read at once. Those of them that are left out, because others are long, come with the next. */
const BATCH = 16;

const SHIPPED: ReadonlySet<string> = new Set(builtinTools.map(({ key }) => key));

/** Finds out why tools cannot be given to a model: words for people, by id, for those that cannot. */
export async function problemsOf(
  { definitions }: Pick<ApiContext, 'definitions'>,
  orgId: string,
  tools: readonly ListedDefinition[],
): Promise<ReadonlyMap<string, string>> {
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
