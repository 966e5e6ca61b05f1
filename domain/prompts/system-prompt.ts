import { describeProjects, type ProjectContext } from '../project-context/describe-projects.ts';
import { AGENT_SPAWN } from '../tool-calls/tool-call.ts';
import { defuseFences } from '../tool-calls/fence-line.ts';
import type { CallForm } from '../transcripts/render-turn.ts';
import type { ToolDefinition } from '../transcripts/model-message.ts';
import { describeSkills, type Skill, splitSkills } from './skills.ts';
import { describeSoul, type Soul } from './soul.ts';

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
type PromptPartName = (typeof PROMPT_PARTS)[number];

/** A part of a system prompt. */
export interface PromptPart {
  readonly name: PromptPartName;
  readonly text: string;
}

/** The parts of a system prompt. */
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
  /** In `native` form the provider gets the tools, and the prompt does not name them. */
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
    skills: describeSkills(splitSkills(skills)),
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

const HOW_TO_CALL = `# Tools

You can call tools. To call one, write a fenced block with the word tool_call after the opening fence and one JSON object in it, exactly like this:

\`\`\`tool_call
{"name": "NAME_OF_THE_TOOL", "arguments": {"NAME_OF_AN_ARGUMENT": "VALUE"}}
\`\`\`

- Both fences stand on lines of their own, at the beginning of the line.
- The block holds valid JSON and nothing else: write a line break in a string as \\n and a quotation mark as \\".
- One block is one call. To make several calls at the same time, write several blocks in one reply.
- End your reply after the last block. The results come in the next message, in blocks tool_result, in the order of the calls. Never write a block tool_result yourself.
- To show such a block to the user without a call being made, put it inside a longer fence.
- When you need no tool, answer without such a block.

These are your tools, with the JSON Schema of their arguments:`;

/** Writes how tools are called in fenced form, and which there are. */
function describeTools(tools: readonly ToolDefinition[]): string {
  const described = tools.map(
    ({ name, description, parameters }) =>
      `## ${name}\n\n${description.trim()}\n\nArguments: ${JSON.stringify(parameters)}`,
  );
  return [HOW_TO_CALL, ...described].join('\n\n');
}

/**
 * Writes the part of the system prompt about the agents that can be delegated to, and the kinds of work that models can
 * be chosen for; '' when there are no agents.
 */
export function describeCandidates(
  candidates: readonly { readonly name: string; readonly description: string }[],
  modelTags: readonly string[],
): string {
  if (candidates.length === 0) return '';
  const lines = candidates.map(
    ({ name, description }) => `- ${[name, defuseFences(oneLine(description))].filter(Boolean).join(': ')}`,
  );
  const agents = `# Agents\n\nWith ${AGENT_SPAWN} you can delegate work to these agents:\n\n${lines.join('\n')}`;
  if (modelTags.length === 0) return agents;
  const tags = modelTags.map((tag) => defuseFences(oneLine(tag))).join(', ');
  return `${agents}\n\nFor some kinds of work there are models of their own, which model_tags asks for: ${tags}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A memory as a prompt shows it. */
export interface PromptMemory {
  readonly type: string;
  readonly content: string;
}

// The statement that reads them knows this bound too.
const MAX_MEMORY_CHARACTERS = 4_000;

const HEADING = `# Memories

What you have kept from earlier conversations, the most important first. It may be out of date: what people say now comes first.`;

/**
 * Writes the memories' part of the system prompt, in their order up to `MAX_MEMORY_CHARACTERS`; '' when there are none.
 * A memory is shown whole or not at all.
 */
export function describeMemories(memories: readonly PromptMemory[]): string {
  const lines: string[] = [];
  let left = MAX_MEMORY_CHARACTERS;
  for (const { type, content } of memories) {
    const line = `- ${type}: ${content.trim().replaceAll(/\n/g, '\n  ')}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? '' : defuseFences(`${HEADING}\n\n${lines.join('\n')}`);
}
