import { createHash } from 'node:crypto';
import { inKeyOrder } from '../../domain/core/objects/in-key-order.ts';
import type { DefinitionContent } from '../../domain/definitions/index.ts';

/** Returns a digest that two definitions share when their content is equal. */
export function digestOf({ key, name, description, category, version, persona, files }: DefinitionContent): string {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const content = [key, name, description, category, version, inKeyOrder(persona), sorted];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
