import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/core/app-error.ts';

/**
 * Throws unless a page of this server has sent the request. Browsers say so in headers that no page can write:
 * `Sec-Fetch-Site`, or in older ones `Origin`.
 */
export function requireOwnPage({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? isOwnOrigin(headers, publicUrl) : site === 'same-origin';
  if (!isOwn) throw new AppError('forbidden', 'Only pages of this server may use the session of a browser');
}

function isOwnOrigin({ origin, host }: IncomingMessage['headers'], publicUrl: string): boolean {
  const from = URL.parse(origin ?? '');
  if (from === null || host === undefined || from.host !== host.toLowerCase()) return false;
  // Only of the public address is it known by which scheme browsers reach it: a proxy may have taken TLS off.
  const known = URL.parse(publicUrl);
  return known === null || from.host !== known.host || from.protocol === known.protocol;
}
