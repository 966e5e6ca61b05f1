import { builtinTools } from '../../builtin/index.ts';
import type { ListedDefinition } from '../../db/definitions/index.ts';
import type { DefinitionHead } from '../../domain/definitions/index.ts';
import { inspectDefinition } from '../../domain/tools/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Tools whose files are read at once: with files of the largest size they take some megabytes. */
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
  for (let at = 0; at < own.length; at += BATCH) {
    const keys = own.slice(at, at + BATCH).map(({ key }) => key);
    for (const definition of await definitions.read(orgId, 'tool', keys, seen)) {
      const inspection = inspectDefinition(definition);
      if ('problem' in inspection) problems.set(definition.id, inspection.problem);
    }
  }
  return problems;
}

// Its definition has no runtime: it describes a tool that every worker has.
function isPartOfService({ key }: DefinitionHead): boolean {
  return SHIPPED.has(key);
}
