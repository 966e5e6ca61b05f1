import type { DefinitionDeps } from '../../../../db/definition-changes/rights.ts';
import { writeToolFor, type WrittenTool } from '../../../../db/definition-changes/change-definitions.ts';
import { findToolProblems } from '../../../../db/integrations/connections.ts';
import { type AgentCall, auditCall, runOperation, memberOf } from '../agent-call.ts';
import type { Agent } from '../../../../db/agents/agent.entity.ts';
import { type AgentActor, type AgentDeps, createAgent, updateAgent } from '../../../../db/agents/change-agents.ts';
import type { AgentFields, NewAgent } from '../../../../db/agents/agents.ts';
import { isBuiltin, isToolKey } from '../../../../builtin/index.ts';

/** An agent that was made or changed, and the defaults of its persona that it was not given. */
export interface MadeAgent extends Pick<Agent, 'id' | 'name' | 'tools' | 'skills' | 'isActive'> {
  readonly leftOut: readonly string[];
}

/**
 * The agents that the user of a call may make and change, by the rules of the routes: none gets what the user may not
 * use. Throws `ToolFailure` with a message for the model.
 */
export interface UserAgents {
  /** Adds an agent under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, agent: NewAgent): Promise<MadeAgent>;
  /** Changes the given fields only. */
  update(id: string, changes: Partial<AgentFields>): Promise<MadeAgent>;
}

/** Returns the agents that a user may make and change for a tool, until the signal aborts. */
export function userAgents(
  shared: Omit<AgentDeps, 'isToolKey' | 'isBuiltin'>,
  call: AgentCall,
  signal: AbortSignal,
): UserAgents {
  const deps = { ...shared, isToolKey, isBuiltin };
  const run = async <T>(work: (actor: AgentActor) => Promise<T>) =>
    runOperation(signal, async () => work(memberOf(call)));
  return {
    create: async (id, given) =>
      run(async (actor) => {
        const { agent, leftOut } = await createAgent(deps, actor, given, id);
        await auditCall(deps.database, call, { action: 'agents.create', recordId: id, given });
        return made(
          agent,
          [...(leftOut?.tools ?? []), ...(leftOut?.skills ?? [])].map(({ key }) => key),
        );
      }),
    update: async (id, given) =>
      run(async (actor) => {
        const agent = await updateAgent(deps, actor, { id }, given);
        await auditCall(deps.database, call, { action: 'agents.update', recordId: id, given });
        return made(agent, []);
      }),
  };
}

function made({ id, name, tools, skills, isActive }: Agent, leftOut: readonly string[]): MadeAgent {
  return { id, name, tools, skills, isActive, leftOut };
}

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
    write: async (id, tool) => runOperation(signal, async () => write(id, tool)),
  };
}
