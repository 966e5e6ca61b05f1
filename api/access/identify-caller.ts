import type { Request } from 'express';
import { z } from 'zod';
import { AppError } from '../../domain/core/app-error.ts';
import { InvalidRequest } from '../http/problem.ts';
import { authenticate, type AuthenticateDeps, type IdentifiedCaller } from './authenticate.ts';
import { type Credential, credentialOf, verifyBearer } from './bearer.ts';

/**
 * Identifies the sender of a request. Throws `unauthenticated` when that fails. `orgId` is the organization named by
 * the request's path, which takes precedence over the header.
 */
export type IdentifyCaller = (request: Request, orgId?: string) => Promise<IdentifiedCaller>;

/** Identifies callers by `Authorization: Bearer`, with `X-Org-Id` to choose another of their organizations. */
export function identifyByHeaders(deps: AuthenticateDeps): IdentifyCaller {
  return async (request, orgId) => identify(deps, credentialOf(request), orgId ?? requestedOrg(request));
}

/** Returns the owner of a credential. Throws `unauthenticated` when it is missing or invalid. */
export async function identify(
  deps: AuthenticateDeps,
  credential: Credential,
  orgId: string | undefined,
): Promise<IdentifiedCaller> {
  const caller = await verifyBearer(credential, async (token) => authenticate(deps, token, orgId));
  if (caller === undefined) throw new AppError('unauthenticated', 'Missing or invalid token');
  return caller;
}

function requestedOrg(request: Request): string | undefined {
  const header = request.headers['x-org-id'];
  if (header === undefined) return undefined;
  const orgId = z.uuid().toLowerCase().safeParse(header);
  if (!orgId.success)
    throw new InvalidRequest([{ type: 'invalid_format', loc: ['header', 'X-Org-Id'], msg: 'must be a UUID' }]);
  return orgId.data;
}
