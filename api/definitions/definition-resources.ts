import type { z } from 'zod';
import { DefinitionFault } from '../../definition-files/index.ts';
import { InvalidRequest } from '../http/problem.ts';
import type { ListedDefinition } from '../../db/definitions/read-definitions.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { DefinitionContent, DefinitionKind, PersonaFields } from '../../domain/definitions/definition.ts';
import {
  newPersonaSchema,
  newSkillSchema,
  newToolSchema,
  personaChangesSchema,
  personaSchema,
  skillChangesSchema,
  skillSchema,
  toolChangesSchema,
  toolSchema,
} from './schema.ts';
import { isOnlyInChats, problemsOf, withUnmetNeeds } from './usability.ts';

/** One kind of definitions as the api serves it: all kinds have the same routes, with other names and schemas. */
export interface DefinitionResource {
  readonly kind: DefinitionKind;
  readonly resource: 'tools' | 'skills' | 'personas';
  readonly tag: 'Tools' | 'Skills' | 'Personas';
  /** The name of a record in the names of operations. */
  readonly name: 'Tool' | 'Skill' | 'Persona';
  readonly idName: 'tool_id' | 'skill_id' | 'persona_id';
  readonly schemas: {
    readonly added: z.ZodObject;
    readonly changes: z.ZodObject;
    readonly shown: z.ZodObject;
  };
}

export const TOOLS: DefinitionResource = {
  kind: 'tool',
  resource: 'tools',
  tag: 'Tools',
  name: 'Tool',
  idName: 'tool_id',
  schemas: { added: newToolSchema, changes: toolChangesSchema, shown: toolSchema },
};

export const SKILLS: DefinitionResource = {
  kind: 'skill',
  resource: 'skills',
  tag: 'Skills',
  name: 'Skill',
  idName: 'skill_id',
  schemas: { added: newSkillSchema, changes: skillChangesSchema, shown: skillSchema },
};

export const PERSONAS: DefinitionResource = {
  kind: 'persona',
  resource: 'personas',
  tag: 'Personas',
  name: 'Persona',
  idName: 'persona_id',
  schemas: { added: newPersonaSchema, changes: personaChangesSchema, shown: personaSchema },
};

/** The fields that a body sets, of a definition of any kind. */
type SetFields = Partial<Omit<DefinitionContent, 'files' | 'persona'> & PersonaFields>;

/** Returns the fields that a body sets. */
export function fieldsOf(schema: z.ZodObject, body: Readonly<Record<string, unknown>>): SetFields {
  // The schemas of each kind have no other fields.
  return toFields(schema, body) as SetFields;
}

/** Divides the fields that a body sets into those of every record, and those that only personas have. */
export function divide({ icon, systemPrompt, soul, defaultSkills, defaultTools, ...record }: SetFields) {
  const persona = { icon, systemPrompt, soul, defaultSkills, defaultTools };
  const set = Object.entries(persona).filter(([, value]) => value !== undefined);
  return { record, persona: Object.fromEntries(set) as Partial<PersonaFields> };
}

/** Returns definitions of an organization as the API shows them. */
export async function presentDefinitions(
  context: Pick<ApiContext, 'database' | 'definitions'>,
  { kind, schemas }: DefinitionResource,
  orgId: string,
  all: readonly ListedDefinition[],
): Promise<Record<string, unknown>[]> {
  const problems = kind === 'persona' ? undefined : await problemsOf(context, orgId, { kind, all });
  const reasons = problems === undefined ? undefined : await withUnmetNeeds(context, orgId, { kind, all, problems });
  return all.map((definition) => {
    const problem = problems?.get(definition.id) ?? null;
    const reason = reasons?.get(definition.id) ?? null;
    const usability =
      problems === undefined ? {} : { usable: problem === null, problem, available: reason === null, reason };
    const onlyInChats = isOnlyInChats(definition);
    return present(schemas.shown, { ...definition, ...definition.persona, ...usability, onlyInChats });
  });
}

/** Returns a definition as the API shows it. */
export async function presentDefinition(
  context: Pick<ApiContext, 'database' | 'definitions'>,
  served: DefinitionResource,
  orgId: string,
  definition: ListedDefinition,
): Promise<Record<string, unknown>> {
  const [shown = {}] = await presentDefinitions(context, served, orgId, [definition]);
  return shown;
}

/** Runs what checks definition files; what is wrong with them becomes issues of a field of the request's body. */
export async function withFileIssues<T>(work: () => Promise<T>, field: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
    const issues = error.issues.map(({ path, msg }) => ({
      type: 'invalid_definition',
      loc: ['body', field, ...(path === '' ? [] : [path])],
      msg,
    }));
    throw new InvalidRequest(issues);
  }
}
