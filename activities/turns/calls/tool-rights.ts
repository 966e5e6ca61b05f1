import type { ToolDefinition } from '../../../builtin/index.ts';
import type { BegunCall } from '../../../db/turns/index.ts';
import { permits, type Policy, policyAllows } from '../../../domain/permissions/index.ts';
import type { Effect } from '../../../domain/tool-calls/index.ts';

type WantedCall = Pick<BegunCall, 'policy' | 'agent' | 'name'>;

/** Whether agent and tool of a call may be used now: the agent has the tool, and the user's lists hold both. */
export function isUsable({ policy, agent, name }: WantedCall): boolean {
  if (policy === null || !agent.isUsable || !agent.tools.includes(name)) return false;
  return permits(policy, 'agentIds', agent.id) && permits(policy, 'toolKeys', name);
}

/** The permission key that a call of the tool with this effect needs; undefined when it needs none. */
export function keyFor({ permissionArea: area }: ToolDefinition, effect: Effect) {
  return area === undefined ? undefined : (`${area}.${effect === 'read' ? 'view' : 'manage'}` as const);
}

/** Whether the user holds the permission key that a call of the tool with this effect needs. */
export function holdsKeyFor(policy: Policy | null, tool: ToolDefinition, effect: Effect): boolean {
  const key = keyFor(tool, effect);
  return key === undefined || (policy !== null && policyAllows(policy, key));
}
