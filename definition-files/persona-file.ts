import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { toFields } from '../domain/core/record-names.ts';
import { nameText, text } from '../domain/core/text.ts';
import { MAX_FILE_BYTES } from '../domain/definitions/files.ts';
import { type PersonaFields, recordFields, soulObject } from '../domain/definitions/definition.ts';
import { DEFAULT_VERSION, parseFields, parseJsonObject, type SaidFields } from './definition-fault.ts';

/** The files of a persona: its fields, and its system prompt. */
export const PERSONA_FILE = 'persona.json';
export const PROMPT_FILE = 'PROMPT.md';

const keys = z.array(nameText(100)).max(200);

/** The fields that only personas have, with the rules that apply wherever they are written. */
export const personaFields = {
  icon: text(200),
  system_prompt: text(100_000).refine(
    (prompt) => Buffer.byteLength(prompt) < MAX_FILE_BYTES,
    `must not exceed ${MAX_FILE_BYTES / 1024} KB`,
  ),
  soul: soulObject(),
  default_skills: keys,
  default_tools: keys,
};

const { system_prompt: _prompt, ...inFile } = personaFields;
const personaFileSchema = z.strictObject({
  ...recordFields,
  key: recordFields.key.optional(),
  description: recordFields.description.default(''),
  version: recordFields.version.default(DEFAULT_VERSION),
  icon: inFile.icon.default(''),
  soul: inFile.soul.default({}),
  default_skills: inFile.default_skills.default([]),
  default_tools: inFile.default_tools.default([]),
});

type ReadPersona = { readonly said: Omit<SaidFields, 'key'> & { readonly key?: string } } & {
  readonly persona: PersonaFields;
};

/** Reads the files of a persona; throws what is wrong with them. */
export function readPersonaFiles(fields: string, prompt = ''): ReadPersona {
  const read = parseFields(PERSONA_FILE, personaFileSchema, parseJsonObject(PERSONA_FILE, fields));
  const { key, name, description, version, ...rest } = toFields(personaFileSchema, read);
  // A text file ends with a line end, which is none of the prompt.
  const systemPrompt = parseFields(PROMPT_FILE, personaFields.system_prompt, prompt.replace(/\r?\n$/, ''));
  const said = { ...(key !== undefined && { key }), name, description, version, category: 'custom' };
  return { said, persona: { ...rest, systemPrompt } };
}

/** Writes the files of a persona: the same persona gives the same files. */
export function writePersonaFiles(
  { key, name, description, version }: SaidFields,
  { icon, systemPrompt, soul, defaultSkills, defaultTools }: PersonaFields,
): [string, string][] {
  const fields = {
    key,
    name,
    description,
    version,
    icon,
    soul: sorted(soul),
    default_skills: defaultSkills,
    default_tools: defaultTools,
  };
  return [
    [PERSONA_FILE, `${JSON.stringify(fields, undefined, 2)}\n`],
    [PROMPT_FILE, systemPrompt === '' ? '' : `${systemPrompt}\n`],
  ];
}

// The database does not keep the order of an object's keys.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}
