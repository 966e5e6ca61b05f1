import { AppError, notFound } from '../../../domain/core/app-error.ts';
import type { DefinitionKind } from '../../../domain/definitions/index.ts';

const NAMES: Readonly<Record<DefinitionKind, string>> = { tool: 'Tool', skill: 'Skill', persona: 'Persona' };

/** Rejects a definition whose key the caller may not use, as if it did not exist. */
export function requireAllowedKey(kind: DefinitionKind, key: string, allowed: readonly string[] | undefined): void {
  if (allowed !== undefined && !allowed.includes(key)) throw notFound(NAMES[kind]);
}

/** Rejects a new key that the caller could not use. */
export function checkNewKey(
  kind: DefinitionKind,
  key: string | undefined,
  allowed: readonly string[] | undefined,
): void {
  if (key === undefined || allowed === undefined || allowed.includes(key)) return;
  throw new AppError('forbidden', `Your permission groups do not let you use the ${kind} "${key}"`);
}
