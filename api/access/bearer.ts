import type { Request, Response } from 'express';
import { Passport } from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import { z } from 'zod';
import { AppError } from '../../domain/core/app-error.ts';
import { InvalidRequest } from '../http/problem.ts';
import { authenticate, type IdentifiedCaller } from './authenticate.ts';
import type { SessionTokens } from './tokens.ts';
import type { Database } from '../../db/core/index.ts';

/**
 * Finds out who sent a request. Throws `unauthenticated` when that cannot be told. `orgId` is the organization that the
 * request's path names; what the path names counts, not the header.
 */
export type IdentifyCaller = (request: Request, response: Response, orgId?: string) => Promise<IdentifiedCaller>;

/** Identifies callers by `Authorization: Bearer`, with `X-Org-Id` to choose another of their organizations. */
export function bearerAuthentication(deps: { database: Database; tokens: SessionTokens }): IdentifyCaller {
  const passport = new Passport();
  passport.use(
    new BearerStrategy({ passReqToCallback: true }, (request: SeenRequest, token: string, done: Done) => {
      authenticate(deps, token, request.orgId ?? requestedOrg(request)).then(
        (caller) => done(null, caller),
        (error: unknown) => done(error),
      );
    }),
  );
  return async (request, response, orgId) => {
    // Two would leave open which of them a proxy before us has looked at.
    if (request.headersDistinct['authorization']?.length !== 1) throw unauthenticated();
    const caller = await new Promise<IdentifiedCaller | false>((resolve, reject) => {
      const finish = (error: unknown, user?: IdentifiedCaller | false) =>
        error === null || error === undefined ? resolve(user ?? false) : reject(error);
      const handle = passport.authenticate('bearer', { session: false }, finish) as Handle;
      // The strategy would also take a token from the query or the body, where it ends up in logs: it sees neither.
      handle({ headers: request.headers, orgId } as SeenRequest, response, finish);
    });
    if (caller === false) throw unauthenticated();
    return caller;
  };
}

type Done = (error: unknown, user?: IdentifiedCaller | false) => void;
/** What the strategy sees of a request. */
type SeenRequest = Request & { readonly orgId?: string };
type Handle = (request: SeenRequest, response: Response, next: (error?: unknown) => void) => void;

function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'Missing or invalid token');
}

function requestedOrg(request: Request): string | undefined {
  const header = request.headers['x-org-id'];
  if (header === undefined) return undefined;
  const orgId = z.uuid().toLowerCase().safeParse(header);
  if (!orgId.success)
    throw new InvalidRequest([{ type: 'invalid_format', loc: ['header', 'X-Org-Id'], msg: 'must be a UUID' }]);
  return orgId.data;
}
