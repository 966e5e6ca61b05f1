import type { EntityManager } from '@mikro-orm/postgresql';
import { builtinAgents } from '../../builtin/index.ts';
import type { Definitions } from '../../db/definitions/index.ts';
import { requireKnowledgeBases } from '../../db/knowledge-bases/index.ts';
import { hasModelProfile } from '../../db/model-profiles/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { PersonaFields } from '../../domain/definitions/index.ts';
import { profileNameOf } from '../../domain/model-profiles/index.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
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

/**
 * Checks that the knowledge bases that are added to an agent exist and that the caller may see them; `not_found`
 * otherwise.
 */
export async function requireChosenKnowledge(
  em: EntityManager,
  { policy }: OrgCaller,
  wanted: readonly string[] | null | undefined,
  present: readonly string[] | null = [],
): Promise<void> {
  const added = (wanted ?? []).filter((id) => present?.includes(id) !== true);
  if (added.length > 0 && !policyAllows(policy, 'knowledge_bases.view')) throw notFound('Knowledge base');
  await requireKnowledgeBases(em, added);
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
