import { type CustomTool, inspectDefinition, integrationProblem } from '../../domain/tools/index.ts';
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

/** Finds out why tools cannot be used: words for people, by key, for those that cannot. */
export async function findToolProblems(
  database: TenantDatabase,
  orgId: string,
  tools: readonly Parameters<typeof inspectDefinition>[0][],
): Promise<ReadonlyMap<string, string>> {
  const inspected = tools.map((each) => ({ key: each.key, ...inspectDefinition(each) }));
  const runnable = inspected.flatMap((each) => ('tool' in each ? each.tool : []));
  const ofFiles = inspected.flatMap((each) => ('tool' in each ? [] : [[each.key, each.problem] as const]));
  return new Map([...ofFiles, ...(await findIntegrationProblems(database, orgId, runnable))]);
}
