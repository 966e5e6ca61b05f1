/**
 * Returns ids as the text of a PostgreSQL array: the parameter of `any(?::uuid[])` in a statement of an entity manager.
 */
export function uuidArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`;
}
