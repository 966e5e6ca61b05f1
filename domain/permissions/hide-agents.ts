import { permits, type Policy } from './policy.ts';
import { requireAllowed } from './require-allowed.ts';

/** What stands for the name of an agent that a policy does not let its holder use. */
export const HIDDEN_AGENT = 'Hidden agent';

/** A record that names the agent that wrote it, or that it is assigned to. */
interface NamesAgents {
  readonly agentId?: string | null;
  readonly agentName?: string | null;
  readonly assignedAgentId?: string | null;
  readonly assignedAgentName?: string | null;
}

/** Returns whether a policy keeps an agent from its holder; without a policy all are. */
export function isAgentHidden(policy: Policy | null, id: string): boolean {
  return policy === null || !permits(policy, 'agentIds', id);
}

/** Returns a record as a policy shows it: of an agent that the policy hides it says only that there is one. */
export function hideAgents<T extends NamesAgents>(policy: Policy | null, record: T): T {
  const { agentId = null, assignedAgentId = null } = record;
  const hidesAgent = agentId !== null && isAgentHidden(policy, agentId);
  const hidesAssigned = assignedAgentId !== null && isAgentHidden(policy, assignedAgentId);
  if (!hidesAgent && !hidesAssigned) return record;
  return {
    ...record,
    ...(hidesAgent && { agentId: null, agentName: HIDDEN_AGENT }),
    ...(hidesAssigned && { assignedAgentId: null, assignedAgentName: HIDDEN_AGENT }),
  };
}

/**
 * Returns what is to be set of a record that may be assigned to an agent. `not_found` for one that the policy hides;
 * who is not shown the present one sends null without meaning it.
 */
export function allowAssigned<T extends { readonly assignedAgentId?: string | null | undefined }>(
  policy: Policy,
  fields: T,
  present: string | null = null,
): T {
  const { assignedAgentId: wanted } = fields;
  if (typeof wanted === 'string') requireAllowed(policy, 'agents', wanted);
  const isMeant = wanted !== null || present === null || !isAgentHidden(policy, present);
  return isMeant ? fields : { ...fields, assignedAgentId: undefined };
}
