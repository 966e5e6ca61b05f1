import { createHmac, hkdfSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { clientAddress } from '../../domain/network/addresses.ts';
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

/** Makes the digests of an address, one with each key; only a holder of the keys can compare them with others. */
export type AddressDigests = (text: string) => readonly [Buffer, ...Buffer[]];

/**
 * Creates the digest function with keys derived from those of `SECRET_KEY`. Digests are stored with the first key, and
 * recognized with all of them. Without the key of its digest an address is new.
 */
export function createAddressDigests([first, ...others]: readonly [string, ...string[]]): AddressDigests {
  const digestWith = (secretKey: string) => {
    const key = new Uint8Array(hkdfSync('sha256', secretKey, 'everturn', 'known addresses', 32));
    return (text: string) => createHmac('sha256', key).update(text).digest();
  };
  const current = digestWith(first);
  const former = others.map(digestWith);
  return (text) => [current(text), ...former.map((digest) => digest(text))];
}
