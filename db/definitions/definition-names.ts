import { notFound } from '../../domain/core/app-error.ts';
import type { DefinitionKind } from '../../domain/definitions/index.ts';
import { resourceOf } from '../../domain/resources.ts';

const RESOURCES = { tool: 'tools', skill: 'skills', persona: 'personas' } as const;

/** Makes the error for a definition that there is not. */
export function definitionNotFound(kind: DefinitionKind) {
  return notFound(resourceOf(RESOURCES[kind]).name);
}
