import { describeProjects, type ProjectContext } from '../project-context/index.ts';
import { defuseFences } from '../tool-calls/index.ts';
import type { CallForm, ToolDefinition } from '../transcripts/index.ts';
import { describeMemories, type PromptMemory } from './memories.ts';
import { describeSkills, placeSkills, type Skill } from './skills.ts';
import { describeSoul, type Soul } from './soul.ts';
import { describeTools } from './tools.ts';

/** The parts of a system prompt, in the order in which they appear in it. */
export const PROMPT_PARTS = [
  'persona',
  'soul',
  'agent',
  'skills',
  'project',
  'memories',
  'tools',
  'tool_instructions',
] as const;
export type PromptPartName = (typeof PROMPT_PARTS)[number];

/** A part of a system prompt. */
export interface PromptPart {
  readonly name: PromptPartName;
  readonly text: string;
}

/** What a system prompt is made of. */
export interface SystemPromptSource {
  /** The prompt of the agent's persona. */
  readonly personaPrompt?: string;
  /** The character of persona and agent. */
  readonly soul?: Soul;
  readonly agentPrompt: string;
  /** The agent's skills, in the order of its list. */
  readonly skills?: readonly Skill[];
  /** The projects that it works in, without the state of their work. */
  readonly projects?: readonly ProjectContext[];
  /** Its memories, the most important first. */
  readonly memories?: readonly PromptMemory[];
  readonly tools: readonly ToolDefinition[];
  /** In `native` form the provider is given the tools, and the prompt does not name them. */
  readonly form: CallForm;
  /** Further instructions about the tools, such as the agents that can be delegated to. */
  readonly instructions?: readonly string[];
}

/** Returns the parts of the system prompt that say something. The same source gives the same texts (docs/prompt.md). */
export function promptParts(source: SystemPromptSource): PromptPart[] {
  const { personaPrompt = '', soul = {}, agentPrompt, skills = [], projects = [], tools, form } = source;
  const { memories = [] } = source;
  const texts: Readonly<Record<PromptPartName, string>> = {
    persona: defuseFences(personaPrompt.trim()),
    soul: describeSoul(soul),
    agent: agentPrompt.trim(),
    skills: describeSkills(placeSkills(skills)),
    project: describeProjects(projects),
    memories: describeMemories(memories),
    tools: form === 'fenced' && tools.length > 0 ? describeTools(tools) : '',
    tool_instructions: (source.instructions ?? []).join(SEPARATOR),
  };
  return PROMPT_PARTS.map((name) => ({ name, text: texts[name] })).filter(({ text }) => text !== '');
}

/** Returns the system prompt; '' when there is nothing to say. */
export function systemPrompt(source: SystemPromptSource): string {
  return promptParts(source)
    .map(({ text }) => text)
    .join(SEPARATOR);
}

const SEPARATOR = '\n\n';
