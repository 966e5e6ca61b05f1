import { createHmac, hkdfSync } from 'node:crypto';
import { TEST_SECRET_KEY } from './test-api.ts';

type Claims = Readonly<Record<string, unknown>>;

interface Forgery {
  readonly header?: Claims;
  readonly claims: Claims;
  /** The secret that the signing key is derived from; the api's own unless given. */
  readonly secret?: string;
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
}

/** The claims of a token, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

/** A token with these claims, signed as the api signs unless told otherwise. Claims that are undefined are left out. */
export function forgeToken({ header, claims, secret = TEST_SECRET_KEY, hash = 'sha256' }: Forgery): string {
  const parts = [{ alg: 'HS256', typ: 'access+jwt', ...header }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const key = Buffer.from(hkdfSync('sha256', secret, 'everturn', 'session tokens', 32));
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}
