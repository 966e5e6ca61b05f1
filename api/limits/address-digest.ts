import { createHmac, hkdfSync } from 'node:crypto';

/** Makes a digest of an address; only a holder of the key can compare it with others. */
export type AddressDigest = (text: string) => Buffer;

/** Creates the digest function with a key derived from `SECRET_KEY`. With another key every address is new. */
export function createAddressDigest([secretKey]: readonly [string, ...string[]]): AddressDigest {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, 'everturn', 'known addresses', 32));
  return (text) => createHmac('sha256', key).update(text).digest();
}
