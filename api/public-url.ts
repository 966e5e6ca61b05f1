import type { ApiEnv } from './env.ts';

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Address under which users reach the service, without a slash at its end. Never taken from a request. */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Pick<ApiEnv, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
  const host = EVERY_ADDRESS.has(HOST) ? 'localhost' : HOST;
  const { origin, pathname } = new URL(PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
