import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns whether a given secret is the expected one; takes the same time either way. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
