import { builtinAgents } from '../../builtin/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';

/** Refuses every persona: no organization has personas of its own yet, so every id of one is unknown. */
export function rejectUnknownPersona(personaId: string | null | undefined): void {
  if (typeof personaId === 'string') throw notFound('Persona');
}

/** The builtin agent of this id, if it is one's. */
export function findTemplate(agentId: string) {
  return builtinAgents.find(({ id }) => id === agentId);
}

/** Refuses to change what ships with the service. */
export function rejectTemplate(agentId: string): void {
  if (findTemplate(agentId) === undefined) return;
  throw new AppError(
    'forbidden',
    'Builtin agents cannot be changed or deleted; create an agent with the same fields instead',
  );
}
