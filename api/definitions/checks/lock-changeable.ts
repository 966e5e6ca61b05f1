import type { EntityManager } from '@mikro-orm/postgresql';
import { type DefinitionRecord, lockDefinition } from '../../../db/definitions/index.ts';
import type { ShippedDefinitions } from '../../../domain/definitions/index.ts';
import { checkMayRedirect } from '../../resources/check-may-redirect.ts';
import { requireAllowedKey } from './allowed-key.ts';
import { checkOverride } from './builtin.ts';
import type { WantedChange } from './direction.ts';

/**
 * Returns the record of a definition that the caller wants to change or delete, locked until the transaction has ended;
 * `not_found` and `forbidden` when they may not.
 */
export async function lockChangeable(
  em: EntityManager,
  shipped: ShippedDefinitions,
  { caller, kind, id, allowedKeys }: WantedChange,
): Promise<DefinitionRecord> {
  const record = await lockDefinition(em, { kind, id });
  requireAllowedKey(kind, record.key, allowedKeys);
  checkOverride(caller, shipped, kind, record.key);
  if (kind === 'tool') checkMayRedirect(caller, record, kind);
  return record;
}
