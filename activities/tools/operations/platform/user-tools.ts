import { type DefinitionDeps, writeToolFor, type WrittenTool } from '../../../../db/definition-changes/index.ts';
import { findToolProblems } from '../../../../db/integrations/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import { type AgentCall, auditCall, inToolTerms, memberOf } from '../agent-call.ts';

/**
 * The tools that the user of a call may write for the organization, by the rules of the routes. Throws `ToolFailure`
 * with a message for the model.
 */
export interface UserTools {
  /**
   * Adds a tool under an id, or replaces the organization's own of its key. Returns its id, and what keeps it from
   * being used; null when nothing does.
   */
  write(id: string, tool: WrittenTool): Promise<{ readonly id: string; readonly problem: string | null }>;
}

/** Returns the tools that a user may write for a tool, until the signal aborts. */
export function userTools(deps: DefinitionDeps, call: AgentCall, signal: AbortSignal): UserTools {
  const { database } = deps;
  const write = async (id: string, tool: WrittenTool) => {
    const stored = await writeToolFor(deps, memberOf(call), id, tool);
    const action = stored.id === id ? 'tools.create' : 'tools.update';
    await auditCall(database, call, { action, recordId: stored.id, given: tool });
    const problems = await findToolProblems(database, call.orgId, [tool]);
    return { id: stored.id, problem: problems.get(tool.key) ?? null };
  };
  return {
    write: async (id, tool) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, async () => write(id, tool))),
  };
}
