import type { z } from 'zod';
import type { sharedSettings } from './settings.ts';

type Addresses = Pick<z.output<typeof sharedSettings>, 'PUBLIC_URL' | 'HOST' | 'PORT'>;

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/**
 * Returns the address under which users reach the service, without a trailing slash. It is never taken from a request.
 */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Addresses): string {
  const host = EVERY_ADDRESS.has(HOST) ? 'localhost' : HOST;
  const { origin, pathname } = new URL(PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
