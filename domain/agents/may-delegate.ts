import { permits, type Policy } from '../permissions/index.ts';
import { AGENT_SPAWN } from '../tool-calls/index.ts';

interface DelegatingAgent {
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  readonly maxSubagents: number;
}

/** Tells whether an agent may delegate for this user: it lists the tool among its tools or skills, and the user may use it. */
export function mayDelegate(policy: Policy | null, { tools, skills, maxSubagents }: DelegatingAgent): boolean {
  const isListed = tools.includes(AGENT_SPAWN) || skills.includes(AGENT_SPAWN);
  return isListed && maxSubagents > 0 && policy !== null && permits(policy, 'toolKeys', AGENT_SPAWN);
}
