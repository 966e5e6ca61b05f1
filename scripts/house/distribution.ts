/** The distribution of a set of sizes. */
export type Distribution = { readonly median: number; readonly p95: number; readonly max: number };

/** Returns the median, the 95th percentile and the largest of the sizes; zeros when there are none. */
export function distribution(sizes: readonly number[]): Distribution {
  const sorted = sizes.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95), max: at(1) };
}
