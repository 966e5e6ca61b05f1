import { z } from 'zod';
import { SKILL_FILE } from '../../../../domain/definitions/files.ts';
import { SKILL_READ } from '../../../../domain/prompts/skills.ts';
import type { AgentSkill, AgentSkills } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { cutAtLine, MAX_SHOWN_CHARACTERS } from '../shown-text.ts';

const MAX_LINE = 1_000_000;
const MAX_NAMED = 2_000;

/** Reads a file of one of the agent's skills. Skills are written by the organization, so their text needs no marks. */
export const skillRead = defineTool({
  key: SKILL_READ,
  name: 'Read skill',
  description:
    'Reads one of your skills: its instructions, or another file of it that they refer to. Read a skill that your instructions only name before you do work that it describes.',
  category: 'knowledge',
  onlyInChats: true,
  parameters: z.strictObject({
    skill: z.string().min(1).max(100).describe('Key of the skill, such as `read_file`.'),
    path: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('File of the skill, such as `references/forms.md`; its instructions when left out.'),
    start_line: z.int().min(1).max(MAX_LINE).optional().describe('First line to read, from 1.'),
    end_line: z.int().min(1).max(MAX_LINE).optional().describe('Last line to read, that line included.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ skill, path }) => `Reading skill ${path === undefined ? skill : `${skill}/${path}`}`,
  run: async ({ skill: key, path, start_line: start = 1, end_line: end = MAX_LINE }, { skills }) => {
    if (end < start) throw new ToolFailure('invalid_input', 'end_line must not be before start_line');
    const skill = findSkill(key, await skills.list());
    const shown = linesOf(await fileOf(skill, path ?? SKILL_FILE, skills), start, end);
    const isWhole = path === undefined && start === 1;
    return { value: isWhole ? shown + othersOf(skill) : shown };
  },
});

function findSkill(key: string, skills: readonly AgentSkill[]): AgentSkill {
  const found = skills.find((skill) => skill.key === key);
  if (found !== undefined) return found;
  const keys = skills.map((skill) => skill.key).join(', ');
  throw new ToolFailure('not_found', `You have no skill "${key}". Yours are: ${listed(keys)}`);
}

async function fileOf({ key, paths }: AgentSkill, path: string, skills: AgentSkills): Promise<string> {
  const text = await skills.readFile(key, path.replace(/^\.?\//, ''));
  if (text !== undefined) return text;
  const message = `The skill ${key} has no file "${path}". Its files are: ${listed(paths.join(', '))}`;
  throw new ToolFailure('not_found', message);
}

function linesOf(text: string, start: number, end: number): string {
  const lines = text.split('\n');
  if (lines.length < start) throw new ToolFailure('invalid_input', `The file has only ${lines.length} lines`);
  const shown = lines.slice(start - 1, end).join('\n');
  return shown.length > MAX_SHOWN_CHARACTERS ? cutAtLine(shown, start) : shown;
}

function othersOf({ paths }: AgentSkill): string {
  const others = paths.filter((path) => path !== SKILL_FILE);
  return others.length === 0 ? '' : `\n[Further files of this skill: ${listed(others.join(', '))}]`;
}

function listed(list: string): string {
  return list.length > MAX_NAMED ? `${list.slice(0, MAX_NAMED)} …` : list || 'none';
}
