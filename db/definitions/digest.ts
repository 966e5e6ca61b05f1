import { createHash } from 'node:crypto';
import type { DefinitionContent } from '../../domain/definitions/index.ts';

/** Returns a digest that two definitions share when their content is equal. */
export function digestOf({ key, name, description, category, version, persona, files }: DefinitionContent): string {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const content = [key, name, description, category, version, inOrder(persona), sorted];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

// The database does not keep the order of an object's keys.
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, part]) => [key, inOrder(part)]);
}
