import { cut } from '../core/text.ts';
import { SKILL_FILE, splitFrontMatter } from '../definitions/files.ts';
import { defuseFences } from '../tool-calls/fence-line.ts';

/** The tool that reads files of skills. */
export const SKILL_READ = 'skill_read';

/** A skill of an agent: text in files. It never changes; a changed skill is another object. */
export interface Skill {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** The text of its SKILL.md is among them, unless it does not fit into a prompt anyway. */
  readonly files: ReadonlyMap<string, string>;
  /** The paths of all its files. */
  readonly paths: readonly string[];
}

/** The skills of an agent: those that its prompt contains in full, and those that it only names. */
export interface SplitSkills {
  readonly whole: readonly Skill[];
  readonly named: readonly Skill[];
}

/** How many characters of skills a prompt contains in full: about 10,000 tokens. */
export const MAX_SKILL_CHARACTERS = 40_000;
/** How many characters the list of the named ones has at most; beyond them it has keys only. */
const MAX_LIST_CHARACTERS = 16_000;
const MAX_DESCRIPTION_CHARACTERS = 300;
const MAX_PATHS_CHARACTERS = 1_000;

const HEADING = `# Skills

Know-how for your work. Follow a skill when the work at hand is what it describes; what the instructions above and the people you work for say comes first. A skill may name tools that you do not have: then do what it says for that case, and never pretend to have used them.`;

const NAMED = `These skills are not shown here. Before you do work that one of them describes, read it with ${SKILL_READ}:`;

/**
 * Splits skills in their order: each one that still fits is included in full, the others are named. Those without a
 * SKILL.md have no instructions, and are left out.
 */
export function splitSkills(skills: readonly Skill[]): SplitSkills {
  const split = { whole: [] as Skill[], named: [] as Skill[] };
  let left = MAX_SKILL_CHARACTERS;
  for (const skill of skills) {
    if (!skill.paths.includes(SKILL_FILE)) continue;
    const length = skill.files.has(SKILL_FILE) ? blockOf(skill).length : Infinity;
    const fits = length <= left;
    if (fits) left -= length;
    split[fits ? 'whole' : 'named'].push(skill);
  }
  return split;
}

/** Returns whether the skills contain more than what the prompt includes. */
export function hasMoreToRead({ whole, named }: SplitSkills): boolean {
  return named.length > 0 || whole.some((skill) => othersOf(skill).length > 0);
}

/** Writes the skills' part of the system prompt; '' when there are none. */
export function describeSkills({ whole, named }: SplitSkills): string {
  if (whole.length + named.length === 0) return '';
  const list = named.length === 0 ? [] : [[NAMED, ...linesOf(named)].join('\n')];
  return [HEADING, ...whole.map(blockOf), ...list].join('\n\n');
}

/**
 * Returns the instructions of a SKILL.md: the text after its front matter, which lies between two lines of three
 * hyphens.
 */
export function instructionsOf(text: string): string {
  return (splitFrontMatter(text)?.body ?? text).trim();
}

// A prompt is rendered at every step, and the skills are the same most of the time.
const blocks = new WeakMap<Skill, string>();

function blockOf(skill: Skill): string {
  const known = blocks.get(skill);
  if (known !== undefined) return known;
  const block = writeBlock(skill);
  blocks.set(skill, block);
  return block;
}

function writeBlock(skill: Skill): string {
  const { key, description, files } = skill;
  const others = othersOf(skill);
  const parts = [
    oneLine(description),
    instructionsOf(files.get(SKILL_FILE) ?? ''),
    others.length === 0
      ? ''
      : `Further files, to be read with ${SKILL_READ} when they are needed: ${listPaths(others)}`,
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return defuseFences(`<skill key="${key}">\n${text}\n</skill>`);
}

function othersOf({ paths }: Skill): string[] {
  return paths.filter((path) => path !== SKILL_FILE);
}

function listPaths(paths: readonly string[]): string {
  const list = paths.join(', ');
  if (list.length <= MAX_PATHS_CHARACTERS) return list;
  const shown = list.slice(0, list.lastIndexOf(', ', MAX_PATHS_CHARACTERS));
  return `${shown}, and others (${SKILL_READ} without a path lists them)`;
}

function linesOf(named: readonly Skill[]): string[] {
  let left = MAX_LIST_CHARACTERS;
  return named.map(({ key, description }) => {
    const line = `- ${key}: ${defuseFences(oneLine(description))}`;
    left -= line.length;
    return left >= 0 ? line : `- ${key}`;
  });
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_DESCRIPTION_CHARACTERS ? `${cut(line, MAX_DESCRIPTION_CHARACTERS)} …` : line;
}
