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
