import { builtinAgents } from '../../builtin/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';

/**
 * Refuses references to records that the organization does not have. It can have neither chains nor personas of its own
 * yet, so every id of one is unknown.
 */
export function refuseUnknownReferences(body: {
  provider_chain_id?: string | null | undefined;
  persona_id?: string | null | undefined;
}): void {
  if (typeof body.provider_chain_id === 'string') throw notFound('Provider chain');
  if (typeof body.persona_id === 'string') throw notFound('Persona');
}

/** The builtin agent of this id, if it is one's. */
export function findTemplate(agentId: string) {
  return builtinAgents.find(({ id }) => id === agentId);
}

/** Refuses to change what ships with the service. */
export function refuseTemplate(agentId: string): void {
  if (findTemplate(agentId) === undefined) return;
  throw new AppError(
    'forbidden',
    'Builtin agents cannot be changed or deleted; create an agent with the same fields instead',
  );
}
