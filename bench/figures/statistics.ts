/** The value that `share` (0 to 1) of all values do not exceed; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Returns all values together. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
