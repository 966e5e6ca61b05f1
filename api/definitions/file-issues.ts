import { DefinitionFault } from '../../definition-files/index.ts';
import { InvalidRequest } from '../http/problem.ts';

/** Runs what checks definition files; what is wrong with them becomes issues of a field of the request's body. */
export async function withFileIssues<T>(work: () => Promise<T>, field: string): Promise<T> {
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
