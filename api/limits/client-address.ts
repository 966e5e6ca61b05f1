import { createHmac, hkdfSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { clientAddress } from '../../domain/network/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/** Returns the address that a request or an upgrade came from, for limits and the audit log. */
export function clientAddressOf(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  { trustedProxies }: Pick<ApiContext, 'trustedProxies'>,
): string {
  const forwarded = headers['x-forwarded-for'];
  const forwardedFor = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  return clientAddress({ peer: socket.remoteAddress ?? '', forwardedFor }, trustedProxies);
}

/** Makes a digest of an address; only a holder of the key can compare it with others. */
export type AddressDigest = (text: string) => Buffer;

/** Creates the digest function with a key derived from `SECRET_KEY`. With another key every address is new. */
export function createAddressDigest([secretKey]: readonly [string, ...string[]]): AddressDigest {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, 'everturn', 'known addresses', 32));
  return (text) => createHmac('sha256', key).update(text).digest();
}
