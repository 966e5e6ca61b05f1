import type { TenantDatabase } from '../../../db/core/database.ts';
import { findKindsInUse } from '../../../db/integrations/connections.ts';
import { type Lacking, type Surroundings, unmetNeed } from '../../../domain/tools/needs.ts';
import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { unusableTool } from '../custom/custom-tool.ts';
import type { BuiltinTool } from '../define-tool.ts';
import type { SourcedTool, ToolSource } from '../toolset.ts';

/** The dependencies of builtin tools. */
export interface BuiltinToolDeps {
  readonly database: TenantDatabase;
  /** Returns what this worker lacks at the moment. */
  readonly lacking: () => Lacking;
}

/** Gives the builtin tools that the agent lists. One that cannot be used now is not offered, and says why. */
export function builtinTools(
  { database, lacking }: BuiltinToolDeps,
  all: readonly BuiltinTool[] = BUILTIN_TOOLS,
): ToolSource {
  const byKey = new Map(all.map((tool) => [tool.key, tool]));
  return async ({ orgId, agent }) => {
    const tools = agent.tools.flatMap((key) => byKey.get(key) ?? []);
    // Most agents have no tool that needs an integration, and read nothing here.
    const kinds = tools.flatMap(({ definition }) => definition.needsIntegration ?? []);
    const integrations = await findKindsInUse(database, orgId, kinds);
    const isAnyNeeding = tools.some(({ definition }) => definition.needs !== undefined);
    const surroundings = { lacking: isAnyNeeding ? lacking() : {}, integrations };
    return tools.map((tool) => usableHere(tool, surroundings));
  };
}

function usableHere(tool: BuiltinTool, surroundings: Surroundings): SourcedTool {
  const reason = unmetNeed(tool.definition, surroundings);
  return reason === undefined ? tool : unusableTool(tool.key, reason);
}
