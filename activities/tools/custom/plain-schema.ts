import { isObject } from '../../../domain/core/objects/is-object.ts';

/** Keywords whose check takes time in proportion to the schema and the arguments. */
const PLAIN: ReadonlySet<string> = new Set([
  'additionalProperties',
  'const',
  'default',
  'description',
  'enum',
  'examples',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'properties',
  'required',
  'title',
  'type',
]);

/** Returns whether checking arguments by a valid schema takes time in proportion to the sizes of both, at most. */
export function isPlainSchema(schema: unknown): boolean {
  if (!isObject(schema)) return typeof schema === 'boolean';
  return Object.entries(schema).every(([keyword, value]) => {
    if (!PLAIN.has(keyword)) return keyword === '$schema';
    if (keyword === 'properties') return isObject(value) && Object.values(value).every(isPlainSchema);
    return keyword === 'items' || keyword === 'additionalProperties' ? isPlainSchema(value) : true;
  });
}
