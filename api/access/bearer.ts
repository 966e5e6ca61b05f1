import type { IncomingMessage } from 'node:http';
import { Passport } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';

/** What a request shows of who sent it, and nothing else of the request. */
export interface Credential {
  readonly headers: { readonly authorization?: string | undefined };
  /** A token that came in the address, where only the handshake of a socket may have it. */
  readonly query?: { readonly access_token: string };
}

const passport = new Passport();

/**
 * Returns the credential of a request: its `Authorization`, if it has exactly one. Two would leave open which of them a
 * proxy before us has looked at. A token in the query or in the body is none: it ends up in logs.
 */
export function credentialOf({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): Credential {
  const [authorization, ...others] = headersDistinct['authorization'] ?? [];
  return { headers: others.length === 0 ? { authorization } : {} };
}

/** Returns a credential of a token that came in the address. */
export function credentialInAddress(token: string): Credential {
  return { headers: {}, query: { access_token: token } };
}

/**
 * Returns what `verify` says of the token of a credential, `undefined` when it holds none (RFC 6750). Every bearer token that
 * is sent to this service is read here.
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
    // The strategy reads nothing else of a request; passport adds methods to what it is given.
    handle({ ...credential }, undefined, finish);
  });
}

type Handle = (request: Credential, response: undefined, next: (error: unknown) => void) => void;
