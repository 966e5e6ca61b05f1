import { createHash } from 'node:crypto';

/** Returns the digest of a JSON value, whatever the order of the names in its objects. */
export function digestOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
  return createHash('sha256').update(canonical).digest('hex').slice(0, 32);
}
