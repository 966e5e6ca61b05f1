import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/core/app-error.ts';

/**
 * Throws unless a page of this server has sent the request. Browsers say so in headers that no page can write:
 * `Sec-Fetch-Site`, or in older ones `Origin`.
 */
export function requireOwnPage({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? isOwnOrigin(headers) : site === 'same-origin';
  if (!isOwn) throw new AppError('forbidden', 'Only pages of this server may use the session of a browser');
}

function isOwnOrigin({ origin, host }: IncomingMessage['headers']): boolean {
  const from = URL.parse(origin ?? '');
  return from !== null && host !== undefined && from.host === host.toLowerCase();
}
