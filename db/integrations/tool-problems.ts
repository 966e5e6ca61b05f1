import { type CustomTool, integrationProblem } from '../../domain/tools/index.ts';
import type { TenantDatabase } from '../core/index.ts';
import { findKnownIntegrations } from './connections.ts';

/**
 * Finds out why tools cannot be used with the integrations that they name: words for people, by key, for those that
 * cannot. Nothing is read when none of them names one.
 */
export async function findIntegrationProblems(
  database: TenantDatabase,
  orgId: string,
  tools: readonly CustomTool[],
): Promise<ReadonlyMap<string, string>> {
  const naming = tools.flatMap((tool) => (tool.integration === undefined ? [] : [{ tool, name: tool.integration }]));
  const known = await findKnownIntegrations(
    database,
    orgId,
    naming.map(({ name }) => name),
  );
  const problems = naming.map(({ tool, name }) => [tool.key, integrationProblem(tool, known.get(name))] as const);
  return new Map(problems.flatMap(([key, problem]) => (problem === undefined ? [] : [[key, problem]])));
}
