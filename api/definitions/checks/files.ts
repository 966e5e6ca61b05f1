import { checkScriptFile, DefinitionFault, SCRIPT_FILE } from '../../../definition-files/index.ts';
import type { Payer } from '../../../domain/core/keyed-semaphore.ts';
import type { DefinitionFiles, DefinitionKind } from '../../../domain/definitions/index.ts';
import { InvalidRequest } from '../../http/problem.ts';

/** Rejects a main.js among the files of a tool that cannot be read. Throws a `DefinitionFault`. */
export async function checkScript(kind: DefinitionKind, files: DefinitionFiles, payer: Payer): Promise<void> {
  const script = kind === 'tool' ? files.get(SCRIPT_FILE) : undefined;
  if (script !== undefined) await checkScriptFile(script, payer);
}

/** Runs what checks definition files; what is wrong with them becomes issues of the request's body. */
export async function withFileIssues<T>(work: () => Promise<T> | T, field: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
    const issues = error.issues.map(({ path, msg }) => ({
      type: 'invalid_definition',
      loc: ['body', field, ...(path === '' ? [] : [path])],
      msg,
    }));
    throw new InvalidRequest(issues);
  }
}
