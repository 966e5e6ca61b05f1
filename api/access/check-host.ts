import type { IncomingMessage } from 'node:http';
import { AppError } from '../../domain/core/app-error.ts';
import { hostNameOf, isKnownHost } from '../../domain/network/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/**
 * Throws unless a request or an upgrade addresses the service by one of its own names. A page whose name is made to
 * lead to this machine (DNS rebinding) shares the service's origin, so nothing else keeps it from reading responses.
 * Ports are not compared: many of them may lead here.
 */
export function checkHost(request: IncomingMessage, { hostNames }: Pick<ApiContext, 'hostNames'>): void {
  for (const host of hostsOf(request)) {
    const name = hostNameOf(host);
    if (name === undefined) throw malformed();
    if (!isKnownHost(name, hostNames)) {
      const words = `This server is not known as ${name}; its operator can allow the name with PUBLIC_URL or ALLOWED_HOSTS`;
      throw new AppError('misdirected', words);
    }
  }
}

// A target in absolute form names a host too, and takes precedence over the header (RFC 9112, 3.2.2).
function hostsOf({ headersDistinct, url = '' }: IncomingMessage): string[] {
  const headers = headersDistinct['host'] ?? [];
  if (headers.length !== 1) throw malformed();
  if (url.startsWith('/') || url === '*') return headers;
  const target = URL.parse(url);
  if (target === null || target.host === '') throw malformed();
  return [...headers, target.host];
}

function malformed(): AppError {
  return new AppError('invalid', 'A request needs exactly one Host header, with a host name or an address');
}
