import { AppError } from '../core/app-error.ts';
import { permits, type Policy } from '../permissions/index.ts';
import { nameInSentence } from '../resources/index.ts';
import { AGENT_SPAWN } from '../tool-calls/index.ts';

/** The keys of the tools and skills that an agent is given. */
export interface GivenKeys {
  readonly tools: readonly string[];
  readonly skills: readonly string[];
}

/** A tool or skill that somebody may not give to an agent. */
export interface WithheldKey {
  readonly resource: 'tools' | 'skills';
  readonly key: string;
}

/** Returns the tools that keys give an agent: as a skill `agent_spawn` gives the tool of the same name. */
export function toolsGivenBy({ tools, skills }: GivenKeys): readonly string[] {
  return skills.includes(AGENT_SPAWN) ? [...new Set([...tools, AGENT_SPAWN])] : tools;
}

/** Returns the first of the keys that a policy does not let its user give to an agent; undefined when it allows all. */
export function findWithheld(policy: Policy, given: GivenKeys): WithheldKey | undefined {
  const tool = toolsGivenBy(given).find((key) => !permits(policy, 'toolKeys', key));
  if (tool !== undefined) return { resource: 'tools', key: tool };
  const skill = given.skills.find((key) => !permits(policy, 'skillKeys', key));
  return skill === undefined ? undefined : { resource: 'skills', key: skill };
}

/** Makes the error for somebody who may not direct an agent, since they may not give it all that it has. */
export function cannotDirect({ resource, key }: WithheldKey, agentName?: string): AppError {
  const agent = agentName === undefined ? 'The agent' : `The agent "${agentName}"`;
  const words = `${agent} has the ${nameInSentence(resource)} "${key}", which your permission groups do not let you use, so you cannot change what it is told`;
  return new AppError('forbidden', words);
}
