/** Counts values and tells them, the most frequent first: `200 x 14, 429 x 2`. */
export function tally(values: readonly (string | number | undefined)[]): string {
  const counts = new Map<string, number>();
  for (const value of values) {
    const name = String(value ?? 'no answer');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} x ${count}`)
    .join(', ');
}
