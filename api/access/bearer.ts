import { AppError } from '../../domain/core/app-error.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Passport } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';

/**
 * A token was presented that is not valid. It says whether it has merely expired: only then is it worth asking for a
 * new one.
 */
export class InvalidToken extends AppError {
  /** The value of `WWW-Authenticate` (RFC 6750, section 3). */
  readonly challenge: string;

  constructor({ hasExpired }: { readonly hasExpired: boolean }) {
    super('unauthenticated', hasExpired ? 'The token has expired' : 'Missing or invalid token');
    const description = hasExpired ? 'The token has expired' : 'The token is invalid';
    this.challenge = `Bearer error="invalid_token", error_description="${description}"`;
  }
}

/** The part of a request that identifies its sender. */
export interface Credential {
  readonly headers: { readonly authorization?: string | undefined };
  /** A token from the address or a subprotocol, accepted in the handshake of a socket only. */
  readonly query?: { readonly access_token: string };
}

const passport = new Passport();

/**
 * Returns the credential of a request: its `Authorization` header, if there is exactly one. With two it would be
 * unclear which of them a proxy before us has checked. A token in the query or the body does not count: it would end up
 * in logs.
 */
export function credentialOf({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): Credential {
  const [authorization, ...others] = headersDistinct['authorization'] ?? [];
  return { headers: others.length === 0 ? { authorization } : {} };
}

/** Makes a credential from a token in the address or a subprotocol of a handshake. */
export function credentialInHandshake(token: string): Credential {
  return { headers: {}, query: { access_token: token } };
}

/**
 * Runs `verify` on the token of a credential and returns its result, `undefined` when there is no token (RFC 6750).
 * Every bearer token sent to this service passes through here.
 */
export async function verifyBearer<T>(
  credential: Credential,
  verify: (token: string) => Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const strategy = new BearerStrategy((token, done) => {
      verify(token).then((found) => done(null, { found }), done);
    });
    const finish = (error: unknown, verified?: { readonly found: T } | false) => {
      if (error !== null && error !== undefined) reject(error);
      else resolve(verified === undefined || verified === false ? undefined : verified.found);
    };
    const handle = passport.authenticate(strategy, { session: false }, finish) as Handle;
    // The strategy reads nothing else of a request. It gets a copy because passport adds methods to the object.
    handle({ ...credential }, undefined, finish);
  });
}

type Handle = (request: Credential, response: undefined, next: (error: unknown) => void) => void;

/** Returns whether a given secret is the expected one; takes the same time either way. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
