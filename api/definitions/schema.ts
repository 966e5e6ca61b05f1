import { z } from 'zod';
import { DEFAULT_VERSION, personaFields } from '../../definition-files/index.ts';
import { text } from '../../domain/core/text.ts';
import { DEFINITION_ORIGINS, recordFields } from '../../domain/definitions/definition.ts';
import { MAX_FILE_BYTES, SKILL_CATEGORIES } from '../../domain/definitions/files.ts';
import { TOOL_CATEGORIES } from '../../domain/tools/category.ts';
import { timestamp } from '../http/fields.ts';

const key = recordFields.key.meta({ description: 'Its key: lower-case letters, digits, hyphens and underscores' });
const version = recordFields.version.meta({ description: 'Its version, for people and the marketplace' });
const fields = { key, name: recordFields.name, description: recordFields.description, version };

/** The fields of every definition that nobody sets. */
const shown = {
  id: z.uuid(),
  owner_id: z
    .uuid()
    .nullable()
    .meta({ description: 'Who added it; null for a builtin one, and when the account is gone' }),
  origin: z.enum(DEFINITION_ORIGINS).meta({
    description: 'Where it comes from: the service or its operator, a member of the organization, the marketplace',
  }),
  slug: z.string().nullable().meta({ description: 'The marketplace item that it was installed from' }),
  overrides: z.boolean().meta({
    description: 'Whether it takes the place of a builtin one of its key, in this organization',
  }),
  overridden_by: z.uuid().nullable().meta({
    description: 'For a builtin one: the id of that of the organization which takes its place',
  }),
  created_at: timestamp,
  updated_at: timestamp,
};

/** What tools and skills need their files for. */
const usability = {
  usable: z.boolean().meta({ description: 'Whether it can be given to a model' }),
  problem: z.string().nullable().meta({ description: 'Why it is not usable' }),
};
/** Where a tool runs makes a difference too. */
const availability = {
  available: z.boolean().meta({
    description:
      'Whether models are given it here and now: usable, and nothing that it needs is missing: neither of the workers nor an integration of the organization',
  }),
  reason: z.string().nullable().meta({ description: 'Why it is not available' }),
};
const said = { key: z.string(), name: z.string(), description: z.string(), version: z.string() };
const initial = { description: fields.description.default(''), version: fields.version.default(DEFAULT_VERSION) };

const toolCategory = z
  .enum(TOOL_CATEGORIES)
  .meta({ id: 'ToolCategory', description: 'What a tool is for, by which people find it; `custom` for anything else' });
const toolExample = {
  key: 'order_status',
  name: 'Order status',
  description: 'Looks up an order.',
  category: 'custom',
};

export const newToolSchema = z
  .strictObject({ ...fields, ...initial, category: toolCategory.default('custom') })
  .meta({ id: 'ToolCreate', examples: [toolExample] });
export const toolChangesSchema = z
  .strictObject({ ...fields, category: toolCategory })
  .partial()
  .meta({ id: 'ToolUpdate', examples: [{ name: 'Status of an order' }] });
export const toolSchema = z
  .object({
    ...shown,
    ...said,
    category: toolCategory,
    ...usability,
    ...availability,
    only_in_chats: z.boolean().meta({
      description:
        'Whether its calls make sense in a chat only, because they work on what a chat and its agent have: such a tool cannot be tried',
    }),
  })
  .meta({ id: 'Tool' });

const skillCategory = z.enum(SKILL_CATEGORIES).meta({
  id: 'SkillCategory',
  description: 'What a skill is about, by which people find it; `custom` for anything else',
});
const skillExample = {
  key: 'release_notes',
  name: 'Release notes',
  description: 'How we write release notes.',
  category: 'writing',
};

export const newSkillSchema = z
  .strictObject({ ...fields, ...initial, category: skillCategory })
  .meta({ id: 'SkillCreate', examples: [skillExample] });
export const skillChangesSchema = z
  .strictObject({ ...fields, category: skillCategory })
  .partial()
  .meta({ id: 'SkillUpdate', examples: [{ category: 'communication' }] });
export const skillSchema = z.object({ ...shown, ...said, category: skillCategory, ...usability }).meta({ id: 'Skill' });

const ofPersona = {
  icon: personaFields.icon.meta({ description: 'An emoji, or whatever the front end shows' }),
  system_prompt: personaFields.system_prompt.meta({ description: 'What stands first in the system prompt' }),
  soul: personaFields.soul.meta({ description: 'Free-form traits, such as `tone`; at most 1,000 values and 64 KiB' }),
  default_skills: personaFields.default_skills.meta({ description: 'Keys of skills for new agents with it' }),
  default_tools: personaFields.default_tools.meta({ description: 'Keys of tools for new agents with it' }),
};

export const newPersonaSchema = z
  .strictObject({
    ...fields,
    ...initial,
    icon: ofPersona.icon.default(''),
    system_prompt: ofPersona.system_prompt.default(''),
    soul: ofPersona.soul.default({}),
    default_skills: ofPersona.default_skills.default([]),
    default_tools: ofPersona.default_tools.default([]),
  })
  .meta({
    id: 'PersonaCreate',
    examples: [{ key: 'editor', name: 'Editor', system_prompt: 'You edit texts.', soul: { tone: 'warm' } }],
  });
export const personaChangesSchema = z
  .strictObject({ ...fields, ...ofPersona })
  .partial()
  .meta({ id: 'PersonaUpdate', examples: [{ soul: { tone: 'dry', verbosity: 'brief' } }] });
export const personaSchema = z.object({ ...shown, ...said, ...ofPersona }).meta({ id: 'Persona' });

const fileFields = {
  path: z.string().meta({ description: 'Its path within the definition, with slashes' }),
  bytes: z.int().meta({ description: 'Its size, in UTF-8' }),
  created_at: timestamp,
  updated_at: timestamp,
};
const content = text(MAX_FILE_BYTES).meta({ description: `Text of at most ${MAX_FILE_BYTES / 1024} KB in UTF-8` });

export const fileContentSchema = z.strictObject({ content }).meta({
  id: 'DefinitionFileWrite',
  examples: [{ content: '---\nname: release-notes\ndescription: How we write release notes.\n---\nBe brief.\n' }],
});
export const fileItemSchema = z.object(fileFields).meta({ id: 'DefinitionFileItem' });
export const fileSchema = z.object({ ...fileFields, content: z.string() }).meta({ id: 'DefinitionFile' });
