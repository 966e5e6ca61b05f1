import type { AgentKeyChanges, KnownKeys } from '../../../domain/agents/index.ts';
import { ANY_TOOL } from '../../../domain/approvals/index.ts';
import type { Definitions } from '../definitions.ts';

interface KeySources {
  readonly definitions: Definitions;
  /** Tells whether a key is that of a tool of the service. */
  readonly isToolKey: (key: string) => boolean;
}

/**
 * Returns which of the keys that an agent is given mean something. The organization's own definitions are read only
 * where others are named than those of the service.
 */
export async function knownAmong(
  { definitions, isToolKey }: KeySources,
  orgId: string,
  { tools = [], skills = [], requiresApproval: modes = {} }: AgentKeyChanges,
): Promise<KnownKeys> {
  const isSkillKey = (key: string) => definitions.shipped.find('skill', key) !== undefined;
  const [ownTools, ownSkills] = await Promise.all([
    [...tools, ...Object.keys(modes)].every((key) => key === ANY_TOOL || isToolKey(key))
      ? []
      : definitions.heads(orgId, 'tool'),
    skills.every(isSkillKey) ? [] : definitions.heads(orgId, 'skill'),
  ]);
  return {
    tools: (key) => isToolKey(key) || ownTools.some((tool) => tool.key === key),
    skills: (key) => isSkillKey(key) || ownSkills.some((skill) => skill.key === key),
  };
}
