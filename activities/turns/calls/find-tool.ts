import type { BegunCall } from '../../../db/turns/index.ts';
import { permits, restrictAgent } from '../../../domain/permissions/index.ts';
import type { Tool, ToolsetFor } from '../../tools/index.ts';

/**
 * Returns the tool of a call that begins, if its agent and user may use it. It is looked up again, since their rights
 * can have changed since the call was planned.
 */
export async function findTool(
  toolsetFor: ToolsetFor,
  orgId: string,
  { policy, agent, name }: Pick<BegunCall, 'policy' | 'agent' | 'name'>,
): Promise<Tool | undefined> {
  if (policy === null || !agent.isUsable || !permits(policy, 'agentIds', agent.id)) return undefined;
  const toolset = await toolsetFor({ orgId, policy, agent: restrictAgent(policy, agent) });
  return toolset.find(name);
}
