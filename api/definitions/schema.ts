import { z } from 'zod';
import { DEFAULT_VERSION, personaFields } from '../../definition-files/index.ts';
import { text } from '../../domain/core/text.ts';
import { DEFINITION_ORIGINS, recordFields } from '../../domain/definitions/definition.ts';
import { MAX_FILE_BYTES, SKILL_CATEGORIES } from '../../domain/definitions/files.ts';
import { TOOL_CATEGORIES } from '../../domain/tools/category.ts';
import { timestamp } from '../http/fields.ts';

const key = recordFields.key.meta({ description: 'Its key: lower-case letters, digits, hyphens and underscores' });
const version = recordFields.version.meta({
  description: 'Its version, shown to people and compared by the marketplace',
});
const fields = { key, name: recordFields.name, description: recordFields.description, version };

/** The fields of every definition that nobody sets. */
const shown = {
  id: z.uuid(),
  owner_id: z
    .uuid()
    .nullable()
    .meta({ description: 'Who added it; null for builtin ones, and when the account was deleted' }),
  origin: z.enum(DEFINITION_ORIGINS).meta({
    description: 'Where it comes from: the service or its operator, a member of the organization, or the marketplace',
  }),
  slug: z.string().nullable().meta({ description: 'The marketplace item that it was installed from' }),
  overrides: z.boolean().meta({
    description: 'Whether it overrides a builtin one with the same key in this organization',
  }),
  overridden_by: z.uuid().nullable().meta({
    description: "For a builtin one: the id of the organization's own that overrides it",
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
      "Whether models can use it right now: it is usable, and everything that it needs from the workers and the organization's integrations is there",
  }),
  reason: z.string().nullable().meta({ description: 'Why it is not available' }),
};
const said = { key: z.string(), name: z.string(), description: z.string(), version: z.string() };
const initial = { description: fields.description.default(''), version: fields.version.default(DEFAULT_VERSION) };

const toolCategory = z
  .enum(TOOL_CATEGORIES)
  .meta({ id: 'ToolCategory', description: 'The purpose of a tool, for finding it; `custom` for anything else' });
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
        'Whether it works only in a chat, because it operates on data of the chat and its agent; such a tool cannot be tested',
    }),
  })
  .meta({ id: 'Tool' });

const skillCategory = z.enum(SKILL_CATEGORIES).meta({
  id: 'SkillCategory',
  description: 'The topic of a skill, for finding it; `custom` for anything else',
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
  icon: personaFields.icon.meta({ description: 'An emoji, or anything else that the client can display' }),
  system_prompt: personaFields.system_prompt.meta({ description: 'The beginning of the system prompt' }),
  soul: personaFields.soul.meta({ description: 'Free-form traits, such as `tone`; at most 1,000 values and 64 KiB' }),
  default_skills: personaFields.default_skills.meta({
    description: 'Keys of the skills of new agents with this persona',
  }),
  default_tools: personaFields.default_tools.meta({ description: 'Keys of the tools of new agents with this persona' }),
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
  path: z.string().meta({ description: 'Its path within the definition, separated by slashes' }),
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
