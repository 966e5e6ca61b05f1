import { permits, type Policy } from '../permissions/index.ts';
import { AGENT_SPAWN } from '../tool-calls/index.ts';
import { type GivenKeys, toolsGivenBy } from './given-keys.ts';

interface DelegatingAgent extends GivenKeys {
  readonly maxSubagents: number;
}

/**
 * Tells whether an agent may delegate for this user: it lists the tool among its tools or skills, and the user may use
 * it.
 */
export function mayDelegate(policy: Policy | null, agent: DelegatingAgent): boolean {
  const isListed = toolsGivenBy(agent).includes(AGENT_SPAWN);
  return isListed && agent.maxSubagents > 0 && policy !== null && permits(policy, 'toolKeys', AGENT_SPAWN);
}
