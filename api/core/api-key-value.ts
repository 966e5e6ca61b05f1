import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `et_key_`, 16 hexadecimal digits that find the key, and a secret of 256 bits. */
const VALUE = /^et_key_(?<publicId>[0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

/** A new key value and what is stored of it. */
export function newApiKeyValue(): { value: string; publicId: string; secretHash: Buffer } {
  const publicId = randomBytes(8).toString('hex');
  const value = `et_key_${publicId}_${randomBytes(32).toString('base64url')}`;
  return { value, publicId, secretHash: hash(value) };
}

/** The public part of a text that has the form of a key. */
export function publicIdOf(value: string): string | undefined {
  return VALUE.exec(value)?.groups?.['publicId'];
}

/** Whether `value` is the key whose hash was stored; takes the same time either way. */
export function isApiKeyValue(value: string, secretHash: Buffer): boolean {
  return timingSafeEqual(hash(value), secretHash);
}

function hash(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
