/** Returns an object with one entry for each item: under the item's property, what `make` returns for the item. */
export function recordBy<const T, P extends keyof T, V>(
  items: readonly T[],
  property: P,
  make: (item: T) => V,
): Record<T[P] & string, V> {
  return Object.fromEntries(items.map((item) => [item[property], make(item)])) as Record<T[P] & string, V>;
}
