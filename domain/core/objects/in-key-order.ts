/**
 * Returns a JSON value in which lists of pairs, sorted by key, stand for the objects: equal objects give the same JSON,
 * in whatever order their keys came. The database does not keep that order.
 */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, part]) => [key, inKeyOrder(part)]);
}
