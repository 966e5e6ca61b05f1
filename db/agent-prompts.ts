import { mayDelegate, mayDelegateRemotely } from '../domain/agents.ts';
import type { Definition } from '../domain/definitions/definition.ts';
import { allowedIds, restrictAgent } from '../domain/permissions/restrict.ts';
import { permits, type Policy, policyAllows } from '../domain/permissions/policy.ts';
import { describeProjectStates } from '../domain/project-context/describe-projects.ts';
import {
  describeCandidates,
  type PromptPart,
  promptParts,
  systemPrompt,
  type SystemPromptSource,
} from '../domain/prompts/system-prompt.ts';
import { hasMoreToRead, SKILL_READ, splitSkills } from '../domain/prompts/skills.ts';
import { joinSouls, type Soul } from '../domain/prompts/soul.ts';
import { AGENT_SPAWN } from '../domain/tool-calls/tool-call.ts';
import { listSubAgentCandidates } from './agents/find-agents.ts';
import type { Database } from './core/database.ts';
import type { Definitions } from './definitions/definitions.ts';
import { listRemoteCandidates } from './integrations/remote-agents.ts';
import { listPromptMemories } from './memories.ts';
import { listModelTags } from './model-profiles.ts';
import { readProjectContext } from './project-context.ts';

/** An agent whose prompt is previewed. */
interface PromptedAgent extends AgentRow {
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
  /** The text before the message: the state of the work in its projects. */
  readonly preface: string;
  /** The skills that it contains or names, in the order of the agent's list. */
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
  const [resolved, projects, memories, delegation] = await Promise.all([
    resolvePromptDefinitions(definitions, orgId, agent, policy),
    readProjectContext(database, orgId, { agentId: agent.id, ...reader }, policy),
    policyAllows(policy, 'memory.view') ? listPromptMemories(database, { orgId, agentId: agent.id }) : [],
    isDelegating ? readDelegationPart(database, { orgId, agentId: agent.id }, policy) : '',
  ]);
  const instructions = delegation === '' ? [] : [delegation];
  const source = { ...resolved, projects, memories, tools: [], form: 'native', instructions } as const;
  const split = splitSkills(resolved.skills);
  const added = [...(isDelegating ? [AGENT_SPAWN] : []), ...(hasMoreToRead(split) ? [SKILL_READ] : [])];
  return {
    text: systemPrompt(source),
    parts: promptParts(source),
    preface: describeProjectStates(projects),
    skills: resolved.skills.flatMap((skill) => {
      const isWhole = split.whole.includes(skill);
      return isWhole || split.named.includes(skill) ? [{ key: skill.key, isWhole }] : [];
    }),
    toolKeys: [...new Set([...agent.tools.filter((key) => key !== AGENT_SPAWN), ...added])],
  };
}

/** The fields of an agent's row that its prompt is built from. Its skills are those that the user may use. */
interface AgentRow {
  readonly systemPrompt: string;
  readonly soul: Soul;
  readonly personaId: string | null;
  readonly skills: readonly string[];
  /** The version of the organization's definitions that was read with the row; without it, it is read now. */
  readonly definitionsVersion?: number;
}

/** The parts of a system prompt that come from an agent's own texts, its persona and its skills. */
export type PromptDefinitions = Required<Pick<SystemPromptSource, 'personaPrompt' | 'soul' | 'agentPrompt' | 'skills'>>;

/**
 * Loads an agent's persona and skills from the current definitions of its organization. Deleted ones are left out, as
 * is a persona that the user may not use. Turns and previews of prompts share it. Runs no statement while the
 * definitions are unchanged.
 */
export async function resolvePromptDefinitions(
  definitions: Definitions,
  orgId: string,
  agent: AgentRow,
  policy: Policy | null,
): Promise<PromptDefinitions> {
  const { personaId, definitionsVersion: seen } = agent;
  const [skills, persona] = await Promise.all([
    agent.skills.length === 0 ? [] : definitions.read(orgId, 'skill', [...new Set(agent.skills)], seen),
    personaId === null ? undefined : definitions.findPersona(orgId, personaId, seen),
  ]);
  const fields = persona !== undefined && mayUse(policy, personaId, persona) ? persona.persona : null;
  return {
    personaPrompt: fields?.systemPrompt ?? '',
    soul: joinSouls(fields?.soul ?? {}, agent.soul),
    agentPrompt: agent.systemPrompt,
    skills,
  };
}

// Everybody may use those that ship with the service, as at the routes of the api.
function mayUse(policy: Policy | null, personaId: string | null, { id, origin }: Definition): boolean {
  if (origin === 'builtin') return true;
  return policy !== null && [id, personaId].some((each) => each !== null && permits(policy, 'personaIds', each));
}

/** Writes the part of an agent's prompt about delegation; '' when there is nobody whom it can delegate to. */
export async function readDelegationPart(
  database: Database,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
  policy: Policy | null,
): Promise<string> {
  const onlyIds = allowedIds(policy, 'agentIds');
  const [candidates, remote, modelTags] = await Promise.all([
    listSubAgentCandidates(database, orgId, { exceptId: agentId, onlyIds }),
    mayDelegateRemotely(policy) ? listRemoteCandidates(database, orgId) : [],
    listModelTags(database, orgId),
  ]);
  return describeCandidates([...candidates, ...remote], modelTags);
}
