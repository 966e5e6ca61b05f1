import { builtinAgents } from '../../builtin/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';

/** Rejects every persona id: no organization has personas of its own yet. */
export function rejectUnknownPersona(personaId: string | null | undefined): void {
  if (typeof personaId === 'string') throw notFound('Persona');
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
