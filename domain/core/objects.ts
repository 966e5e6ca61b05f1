import { isSourceNumber } from './exact-json.ts';

/** Returns whether a value is an object of JSON, with members by name: neither a list, a number nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSourceNumber(value);
}

/** The entries of a comma-separated list, trimmed; empty ones do not count. */
export function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/**
 * Returns a JSON value in which lists of pairs, sorted by key, replace the objects: equal objects give the same JSON,
 * in whatever order their keys came. The database does not keep that order.
 */
export function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, part]) => [key, inKeyOrder(part)]);
}

/** Returns an object with one entry for each item: under the item's property, what `make` returns for the item. */
export function recordBy<const T, P extends keyof T, V>(
  items: readonly T[],
  property: P,
  make: (item: T) => V,
): Record<T[P] & string, V> {
  return Object.fromEntries(items.map((item) => [item[property], make(item)])) as Record<T[P] & string, V>;
}

/** Returns the value of a JSON text; undefined for any other text. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
