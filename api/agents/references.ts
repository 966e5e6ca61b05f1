import { builtinAgents } from '../../builtin/index.ts';
import type { Definitions } from '../../db/definitions/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';

/** Checks that a persona exists, of the organization or a builtin one; `not_found` when it does not. */
export async function requirePersona(
  definitions: Definitions,
  orgId: string,
  personaId: string | null | undefined,
): Promise<void> {
  if (typeof personaId !== 'string') return;
  if ((await definitions.findPersona(orgId, personaId)) === undefined) throw notFound('Persona');
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
