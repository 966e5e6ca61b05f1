import { z } from 'zod';
import { nameText, text } from '../domain/core/text.ts';
import { beginsWithFrontMatter, SKILL_CATEGORIES, SKILL_FILE } from '../domain/definitions/files.ts';
import { type FrontMatter, readFrontMatter, writeFrontMatter } from './front-matter.ts';
import { DEFAULT_VERSION, parseFields, type SaidFields } from './definition-fault.ts';

// The open Agent Skills layout. Fields beyond these are kept as they are.
const fieldsSchema = z.looseObject({
  name: nameText(100),
  description: text(1_024).trim().min(1),
});

// Other programs may keep something else there, which then says nothing.
const metadataSchema = z
  .object({
    title: nameText().optional().catch(undefined),
    category: z.enum(SKILL_CATEGORIES).optional().catch(undefined),
    version: nameText(50).optional().catch(undefined),
  })
  .catch({});

/** A skill's instructions, with the fields before them. */
interface SkillFile extends FrontMatter {
  readonly name: string;
  readonly description: string;
}

/** Reads a SKILL.md that begins with front matter; throws what is wrong with it. */
function readSkillFile(content: string): SkillFile {
  const matter = readFrontMatter(SKILL_FILE, content);
  const { name, description } = parseFields(SKILL_FILE, fieldsSchema, matter.fields);
  return { ...matter, name, description };
}

/**
 * Returns what a SKILL.md says of its record: the description, and under `metadata` name, category and version; nothing
 * without front matter. Throws what is wrong with the file.
 */
export function saidBySkillFile(content: string): Partial<SaidFields> {
  if (!beginsWithFrontMatter(content)) return {};
  const { description, fields } = readSkillFile(content);
  const { title: name, category, version } = metadataSchema.parse(fields['metadata']);
  return {
    description,
    ...(name !== undefined && { name }),
    ...(category !== undefined && { category }),
    ...(version !== undefined && { version }),
  };
}

/**
 * Returns the record described by a SKILL.md alone: its `name` is the key, like the folder's in the open layout, and
 * the display name where there is no other.
 */
export function recordOfSkillFile(content: string): SaidFields {
  const { name, description } = readSkillFile(content);
  return { key: name, name, description, category: 'custom', version: DEFAULT_VERSION, ...saidBySkillFile(content) };
}

/** How a SKILL.md says what its record does. */
const PATHS = {
  description: ['description'],
  name: ['metadata', 'title'],
  category: ['metadata', 'category'],
  version: ['metadata', 'version'],
} as const;

/** Updates the changed fields of a record in its SKILL.md, as far as it contains them. */
export function writeSkillFile(
  content: string,
  { former, now }: { readonly former: SaidFields; readonly now: SaidFields },
): string {
  if (!beginsWithFrontMatter(content)) return content;
  const said = saidBySkillFile(content);
  const fields = (['description', 'name', 'category', 'version'] as const).filter(
    (field) => said[field] !== undefined && now[field] !== former[field] && now[field] !== said[field],
  );
  const isKeyed = readSkillFile(content).name === former.key && now.key !== former.key;
  return writeFrontMatter(content, [
    ...(isKeyed ? [[['name'], now.key] as const] : []),
    ...fields.map((field) => [PATHS[field], now[field]] as const),
  ]);
}
