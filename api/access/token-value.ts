import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The prefix of a secret value, which says what it is for. */
export type TokenPrefix = 'et_key' | 'et_dev' | 'et_inv' | 'et_pwd' | 'et_web';

/** A new secret value and its stored form. */
export interface NewToken {
  readonly value: string;
  readonly publicId: string;
  readonly secretHash: Buffer;
  /** The last four characters of the value, by which people can tell it from others. */
  readonly hint: string;
}

// After the prefix: 16 hexadecimal digits that find the record, and a secret of 256 bits.
const VALUE = /^(?<prefix>et_[a-z]{3})_(?<publicId>[0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

const HINT_CHARACTERS = 4;

/** Makes a secret value. */
export function newTokenValue(prefix: TokenPrefix): NewToken {
  const publicId = randomBytes(8).toString('hex');
  const value = `${prefix}_${publicId}_${randomBytes(32).toString('base64url')}`;
  return { value, publicId, secretHash: hash(value), hint: value.slice(-HINT_CHARACTERS) };
}

/** Returns the public part of a text in the form of a value with this prefix. */
export function publicPartOf(prefix: TokenPrefix, value: string): string | undefined {
  const groups = VALUE.exec(value)?.groups;
  return groups?.['prefix'] === prefix ? groups['publicId'] : undefined;
}

/** Returns whether `value` is the one whose hash was stored; takes the same time either way. */
export function isTokenValue(value: string, secretHash: Buffer): boolean {
  return timingSafeEqual(hash(value), secretHash);
}

function hash(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
