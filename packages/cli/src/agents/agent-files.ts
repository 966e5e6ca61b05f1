import type { Schemas } from '../../../sdk/src/index.ts';
import { Failure, parseJsonObject } from '../failure.ts';
import type { RecordFiles } from './folder.ts';

const AGENT_FILE = 'agent.json';
export const PROMPT_FILE = 'PROMPT.md';

/** The fields of `agent.json` in their order, beside `persona`: what does not name records of one server. */
const FIELDS = [
  'name',
  'description',
  'agent_type',
  'soul',
  'tools',
  'skills',
  'requires_approval',
  'model_pref',
  'temperature',
  'max_tokens',
  'max_subagents',
  'max_concurrency',
  'is_active',
] as const satisfies readonly (keyof Schemas['AgentCreate'])[];

/** An agent as its files say it. */
export type FiledAgent = Partial<Pick<Schemas['AgentCreate'], (typeof FIELDS)[number]>> & {
  readonly name: string;
  readonly system_prompt: string;
  /** The key of its persona. */
  readonly persona?: string | null;
};

/** Returns an agent of a server as it is filed. */
export function fileable(agent: Schemas['Agent'], persona: string | null): FiledAgent {
  return { ...pick(agent), name: agent.name, persona, system_prompt: agent.system_prompt };
}

/** Writes the files of an agent: the same agent gives the same bytes. */
export function writeAgent({ system_prompt: prompt, persona, ...fields }: FiledAgent): RecordFiles {
  const content = { ...pick(fields), ...(persona !== undefined && { persona }) };
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  return new Map([
    [PROMPT_FILE, promptFileOf(prompt)],
    [AGENT_FILE, text],
  ]);
}

/** Reads the files of an agent. Throws a `Failure` that says what is wrong with them. */
export function readAgent(key: string, files: RecordFiles): FiledAgent {
  const path = `agents/${key}/${AGENT_FILE}`;
  const text = files.get(AGENT_FILE);
  if (text === undefined) throw new Failure(`${path} is missing.`);
  const given = objectOf(text, path);
  const unknown = Object.keys(given).find((name) => name !== 'persona' && !FIELDS.some((field) => field === name));
  if (unknown !== undefined) throw new Failure(`${path} has the unknown field "${unknown}".`);
  const { name, persona } = given;
  if (typeof name !== 'string' || name === '') throw new Failure(`${path} has no name.`);
  if (persona !== undefined && persona !== null && typeof persona !== 'string')
    throw new Failure(`"persona" of ${path} must be the key of a persona.`);
  return {
    ...pick(given),
    name,
    ...(persona !== undefined && { persona }),
    system_prompt: promptOf(files),
  };
}

/** Returns the prompt of an agent or a persona: its file ends with a line break, which is not part of it. */
export function promptOf(files: RecordFiles): string {
  return (files.get(PROMPT_FILE) ?? '').replace(/\r?\n$/, '');
}

/** Returns the file of a prompt. */
export function promptFileOf(prompt: string): string {
  return prompt === '' ? '' : `${prompt}\n`;
}

/** Returns the name of an agent's folder. */
export function folderNameOf(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['agent'];
  const base = words.join('_').slice(0, 60);
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? base : `${base}_${number}`;
    if (!taken.has(folder)) return folder;
  }
}

/** Returns the object that a file holds as JSON. Throws a `Failure` when it holds none. */
export function objectOf(text: string, path: string): Record<string, unknown> {
  const value = parseJsonObject(text);
  if (value === undefined) throw new Failure(`${path} is no JSON object.`);
  return value;
}

function pick(fields: object): Partial<Pick<Schemas['AgentCreate'], (typeof FIELDS)[number]>> {
  const entries = FIELDS.map((name) => [name, Reflect.get(fields, name) as unknown] as const);
  return Object.fromEntries(
    entries.filter(([, value]) => value !== undefined).map(([name, value]) => [name, sorted(value)]),
  );
}

// The server does not keep the order of an object's keys.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}
