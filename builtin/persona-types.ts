import { z } from 'zod';
import { AGENT_TYPES } from '../domain/agents/index.ts';
import { type FieldsOf, toFields } from '../domain/core/record-names.ts';
import { deepFreeze, type DeepReadonly, readJson, readText } from './read-content.ts';

const personaFileSchema = z.strictObject({
  key: z.string().regex(/^[a-z0-9_]+$/),
  name: z.string().min(1),
  description: z.string().min(1),
  icon: z.string().min(1),
  soul: z.record(z.string(), z.unknown()),
  default_skills: z.array(z.string()),
  default_tools: z.array(z.string()),
});

/** A persona that ships with the service and seeds new agents; there is one for each agent type, of the same key. */
type BuiltinPersona = DeepReadonly<FieldsOf<typeof personaFileSchema> & { systemPrompt: string }>;

/** The builtin personas of the agent types, by key. There are others beside them, in the same folder. */
export const builtinPersonas: readonly BuiltinPersona[] = deepFreeze(
  AGENT_TYPES.toSorted().map((folder) => ({
    ...toFields(personaFileSchema, readJson(`personas/${folder}/persona.json`, personaFileSchema)),
    systemPrompt: readText(`personas/${folder}/PROMPT.md`).trim(),
  })),
);
