import type { EntityManager } from '@mikro-orm/postgresql';
import { builtinAgents } from '../../builtin/index.ts';
import type { Definitions } from '../../db/definitions/index.ts';
import { hasModelProfile } from '../../db/model-profiles/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { PersonaFields } from '../../domain/definitions/index.ts';
import { profileNameOf } from '../../domain/model-profiles/index.ts';
import { fieldIssue } from '../http/problem.ts';

/** Returns the persona with this id, of the organization or a builtin one; `not_found` when there is none. */
export async function requirePersona(
  definitions: Definitions,
  orgId: string,
  personaId: string | null | undefined,
): Promise<PersonaFields | null> {
  if (typeof personaId !== 'string') return null;
  const found = await definitions.findPersona(orgId, personaId);
  if (found === undefined) throw notFound('Persona');
  return found.persona;
}

/** Rejects a preference for a model that names a profile which does not exist: turns would fail. */
export async function requireNamedProfile(em: EntityManager, modelPref: string | null | undefined): Promise<void> {
  const name = profileNameOf(modelPref ?? null);
  if (name === undefined || (await hasModelProfile(em, name))) return;
  throw fieldIssue('model_pref', `There is no model profile "${name}"`);
}

/** Returns the builtin agent with this id, if there is one. */
export function findTemplate(agentId: string) {
  return builtinAgents.find(({ id }) => id === agentId);
}

/** Rejects changes to builtin agents. */
export function rejectTemplate(agentId: string): void {
  if (findTemplate(agentId) === undefined) return;
  throw new AppError(
    'forbidden',
    'Builtin agents cannot be changed or deleted; create an agent with the same fields instead',
  );
}
