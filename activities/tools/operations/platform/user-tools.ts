import { type DefinitionDeps, type WrittenTool, writeToolFor } from '../../../../db/definition-changes/index.ts';
import { findToolProblems } from '../../../../db/integrations/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import type { UserTools } from '../../context.ts';
import { type AgentCall, memberOf } from '../agent-call.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import { auditCall } from './audit-call.ts';

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
