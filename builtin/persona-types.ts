import { z } from 'zod';
import { deepFreeze } from './deep-freeze.ts';
import { listFolders, readJson, readText } from './read-content.ts';

const personaFileSchema = z
  .strictObject({
    key: z.string().regex(/^[a-z0-9_]+$/),
    name: z.string().min(1),
    description: z.string().min(1),
    icon: z.string().min(1),
    soul: z.record(z.string(), z.unknown()),
    default_skills: z.array(z.string()),
    default_tools: z.array(z.string()),
  })
  .transform((file) => ({
    key: file.key,
    name: file.name,
    description: file.description,
    icon: file.icon,
    soul: file.soul as Readonly<Record<string, unknown>>,
    defaultSkills: file.default_skills as readonly string[],
    defaultTools: file.default_tools as readonly string[],
  }));

/** A persona that ships with the service and seeds new agents; there is one for each agent type, of the same key. */
export type BuiltinPersona = Readonly<z.infer<typeof personaFileSchema> & { systemPrompt: string }>;

/** All builtin personas, by key. */
export const builtinPersonas: readonly BuiltinPersona[] = deepFreeze(
  listFolders('personas').map((folder) => ({
    ...readJson(`personas/${folder}/persona.json`, personaFileSchema),
    systemPrompt: readText(`personas/${folder}/PROMPT.md`).trim(),
  })),
);
