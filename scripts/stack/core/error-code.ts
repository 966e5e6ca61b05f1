/**
 * The code of a system or database error, such as ENOENT. Not by `instanceof Error`: a test runner has an Error of its
 * own, which those of Node are no instances of.
 */
export function errorCode(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}
