import type { ApiEnv } from './env.ts';

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/**
 * Returns the address under which users reach the service, without a trailing slash. It is never taken from a request.
 */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Pick<ApiEnv, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
  const host = EVERY_ADDRESS.has(HOST) ? 'localhost' : HOST;
  const { origin, pathname } = new URL(PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
