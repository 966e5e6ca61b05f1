import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { SKILL_CATEGORIES, SKILL_FILE } from '../../domain/definitions/index.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { parseFields } from './parse-fields.ts';
import { DEFAULT_VERSION, type SaidFields } from './said-fields.ts';

// The open Agent Skills layout. Fields beyond these are kept as they are.
const fieldsSchema = z.looseObject({
  name: nameText(100),
  description: text(1_024).trim().min(1),
});

const metadataSchema = z.object({
  title: nameText().catch(''),
  category: z.enum(SKILL_CATEGORIES).catch('custom'),
  version: nameText(50).catch(DEFAULT_VERSION),
});

/** A skill's instructions, with the fields before them. */
export interface SkillFile extends FrontMatter {
  readonly name: string;
  readonly description: string;
}

/** Reads a SKILL.md; throws what is wrong with it. */
export function readSkillFile(content: string): SkillFile {
  const matter = readFrontMatter(SKILL_FILE, content);
  const { name, description } = parseFields(SKILL_FILE, fieldsSchema, matter.fields);
  return { ...matter, name, description };
}

/**
 * Returns what a SKILL.md says of its record: its name is the key, as that of the folder is in the open layout; under `metadata` the name for people, the category and the version. Other
 * programs may keep something else there, which then says nothing.
 */
export function saidBySkillFile(content: string): SaidFields {
  const { name, description, fields } = readSkillFile(content);
  const { title, category, version } = metadataSchema.parse(isObject(fields['metadata']) ? fields['metadata'] : {});
  return { key: name, name: title === '' ? name : title, description, category, version };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
