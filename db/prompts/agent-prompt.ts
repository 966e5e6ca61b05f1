import { mayDelegate } from '../../domain/agents/index.ts';
import { type Policy, policyAllows, restrictAgent } from '../../domain/permissions/index.ts';
import { describeProjectStates } from '../../domain/project-context/index.ts';
import {
  hasMoreToRead,
  placeSkills,
  type PromptPart,
  promptParts,
  SKILL_READ,
  systemPrompt,
} from '../../domain/prompts/index.ts';
import { AGENT_SPAWN } from '../../domain/tool-calls/index.ts';
import type { Database } from '../core/index.ts';
import type { Definitions } from '../definitions/index.ts';
import { listPromptMemories } from '../memories/index.ts';
import { readProjectContext } from '../project-context/index.ts';
import { type CarryingAgent, readCarried } from './carried.ts';
import { readDelegationPart } from './delegation.ts';

/** An agent whose prompt is looked at. */
interface PromptedAgent extends CarryingAgent {
  readonly id: string;
  readonly tools: readonly string[];
  readonly maxSubagents: number;
}

/** The reader of a prompt, and the project of the chat that it would be for; null for none. */
interface PromptReader {
  readonly userId: string;
  readonly projectId: string | null;
}

/** The input of a model before the first message of a chat with the agent. */
export interface AgentPrompt {
  /** The system prompt, and its parts. */
  readonly text: string;
  readonly parts: readonly PromptPart[];
  /** What stands before the message: the state of the work in its projects. */
  readonly preface: string;
  /** The skills that it holds whole or names, in the order of the agent's list. */
  readonly skills: readonly { readonly key: string; readonly isWhole: boolean }[];
  /** The keys of the tools that are offered, those of other servers apart. */
  readonly toolKeys: readonly string[];
}

/**
 * Returns what a turn of the agent would begin with for a user with this policy, as `promptParts` writes it for turns.
 * The model is taken to have native tool calls.
 */
export async function readAgentPrompt(
  { database, definitions }: { readonly database: Database; readonly definitions: Definitions },
  orgId: string,
  whole: PromptedAgent,
  policy: Policy,
  reader: PromptReader,
): Promise<AgentPrompt> {
  const agent = restrictAgent(policy, whole);
  const isDelegating = mayDelegate(policy, agent);
  const [carried, projects, memories, delegation] = await Promise.all([
    readCarried(definitions, orgId, agent, policy),
    readProjectContext(database, orgId, { agentId: agent.id, ...reader }, policy),
    policyAllows(policy, 'memory.view') ? listPromptMemories(database, { orgId, agentId: agent.id }) : [],
    isDelegating ? readDelegationPart(database, { orgId, agentId: agent.id }, policy) : '',
  ]);
  const instructions = delegation === '' ? [] : [delegation];
  const source = { ...carried, projects, memories, tools: [], form: 'native', instructions } as const;
  const placed = placeSkills(carried.skills);
  const added = [...(isDelegating ? [AGENT_SPAWN] : []), ...(hasMoreToRead(placed) ? [SKILL_READ] : [])];
  return {
    text: systemPrompt(source),
    parts: promptParts(source),
    preface: describeProjectStates(projects),
    skills: carried.skills.flatMap((skill) => {
      const isWhole = placed.whole.includes(skill);
      return isWhole || placed.named.includes(skill) ? [{ key: skill.key, isWhole }] : [];
    }),
    toolKeys: [...new Set([...agent.tools.filter((key) => key !== AGENT_SPAWN), ...added])],
  };
}
