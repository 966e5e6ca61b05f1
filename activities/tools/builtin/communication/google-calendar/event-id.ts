import { createHash } from 'node:crypto';

const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const BITS = 5;

/** Returns the id of an event for a key, in the letters that the API allows: those of base32hex. */
export function eventIdOf(key: string): string {
  const bits = [...createHash('sha256').update(key).digest().subarray(0, 20)]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  const groups = Array.from({ length: bits.length / BITS }, (_, at) => bits.slice(at * BITS, (at + 1) * BITS));
  return groups.map((group) => DIGITS[Number.parseInt(group, 2)]).join('');
}
