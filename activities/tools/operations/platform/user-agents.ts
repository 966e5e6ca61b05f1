import { isBuiltin, isToolKey } from '../../../../builtin/index.ts';
import { type Agent, type AgentActor, type AgentDeps, createAgent, updateAgent } from '../../../../db/agents/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import type { MadeAgent, UserAgents } from '../../context.ts';
import { type AgentCall, memberOf } from '../agent-call.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import { auditCall } from './audit-call.ts';

/** Returns the agents that a user may make and change for a tool, until the signal aborts. */
export function userAgents(
  shared: Omit<AgentDeps, 'isToolKey' | 'isBuiltin'>,
  call: AgentCall,
  signal: AbortSignal,
): UserAgents {
  const deps = { ...shared, isToolKey, isBuiltin };
  const run = async <T>(work: (actor: AgentActor) => Promise<T>) =>
    inToolTerms(() => retryWhileDatabaseUnavailable(signal, async () => work(memberOf(call))));
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
