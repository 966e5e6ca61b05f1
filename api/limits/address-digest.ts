import { createHmac, hkdfSync } from 'node:crypto';

/** A digest of an address that only who has the key can compare with another one. */
export type AddressDigest = (text: string) => Buffer;

/** Makes the digests with a key derived from `SECRET_KEY`. With another one every address is new. */
export function createAddressDigest([secretKey]: readonly [string, ...string[]]): AddressDigest {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, 'everturn', 'known addresses', 32));
  return (text) => createHmac('sha256', key).update(text).digest();
}
