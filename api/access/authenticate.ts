import { hash } from 'node:crypto';
import type { Request } from 'express';
import { z } from 'zod';
import { markApiKeyUsed } from '../../db/api-keys.ts';
import { type Principal, principalOfApiKey, principalOfSession } from '../../db/auth.ts';
import type { Database } from '../../db/core/database.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { OrgCaller, SignedInCaller } from '../context/api-context.ts';
import type { FoundCaller, KnownCallers } from './known-callers.ts';
import type { Policies } from './policies.ts';
import { type Credential, credentialOf, InvalidToken, verifyBearer } from './bearer.ts';
import { isTokenValue, publicPartOf, type SessionTokens } from './tokens.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { InvalidRequest } from '../http/problem.ts';

/** The user behind a token, and their membership in the organization that it is used for. */
export interface IdentifiedCaller extends SignedInCaller {
  readonly orgId: string | null;
  readonly role: Role | null;
  readonly policyVersion: string | null;
}

/** The parts that look up a caller. */
interface AuthenticateDeps {
  readonly database: Database;
  readonly tokens: SessionTokens;
  readonly knownCallers: KnownCallers;
}

/**
 * Authenticates an access token or an API key. The caller's rights come from the database, never from the token, and
 * are those of a moment ago (`KnownCallers`). Throws `InvalidToken` for anything else. `orgId` chooses the organization
 * of a session; a key has its own.
 */
async function authenticate(
  { database, tokens, knownCallers }: AuthenticateDeps,
  token: string,
  orgId: string | undefined,
): Promise<IdentifiedCaller> {
  const digest = hash('sha256', token, 'base64url');
  const publicId = publicPartOf('et_key', token);
  if (publicId === undefined) {
    return knownCallers.find(`${digest} ${orgId ?? ''}`, async () => findBySession({ database, tokens }, token, orgId));
  }
  const caller = await knownCallers.find(digest, async () => findByApiKey(database, token, publicId));
  const isElsewhere = orgId !== undefined && orgId !== caller.orgId;
  return isElsewhere ? { ...caller, orgId: null, role: null, policyVersion: null } : caller;
}

async function findBySession(
  { database, tokens }: Pick<AuthenticateDeps, 'database' | 'tokens'>,
  token: string,
  orgId: string | undefined,
): Promise<FoundCaller> {
  const claims = await tokens.verify('access', token);
  if (claims === undefined || claims === 'expired') throw new InvalidToken({ hasExpired: claims === 'expired' });
  const session = await principalOfSession(database, claims.sessionId, orgId);
  if (session === undefined) throw new InvalidToken({ hasExpired: false });
  const expiresAt = claims.expiresAt * 1000;
  return {
    caller: toCaller(session, { sessionId: claims.sessionId, keyId: undefined, expiresAt }),
    validForMs: Math.min(session.validForMs, expiresAt - Date.now()),
  };
}

/** A hash that no value has. */
const NO_HASH = Buffer.alloc(32);

async function findByApiKey(database: Database, token: string, publicId: string): Promise<FoundCaller> {
  const key = await principalOfApiKey(database, publicId);
  // Always compared, so that the time does not reveal whether the key exists.
  const isRight = isTokenValue(token, key?.secretHash ?? NO_HASH);
  if (key === undefined || !isRight) throw new InvalidToken({ hasExpired: false });
  if (key.isUseDue) await markApiKeyUsed(database, key.keyId);
  const credential = {
    sessionId: undefined,
    keyId: key.keyId,
    keyPublicId: publicId,
    expiresAt: key.expiresAt?.getTime(),
  };
  return { caller: toCaller(key, credential), validForMs: key.validForMs };
}

function toCaller(
  { userId, isManaged, orgId, role, policyVersion }: Principal,
  credential: Pick<SignedInCaller, 'sessionId' | 'keyId' | 'keyPublicId' | 'expiresAt'>,
) {
  return { userId, isManaged, orgId, role, policyVersion, ...credential };
}

/** Returns the caller as a member of an organization, with their rights in it; `undefined` when they belong to none. */
export async function asOrgCaller(policies: Policies, caller: IdentifiedCaller): Promise<OrgCaller | undefined> {
  const { userId, orgId, role, policyVersion } = caller;
  if (orgId === null || role === null || policyVersion === null) return undefined;
  const policy = await policies.policyOf({ orgId, userId, role, version: policyVersion });
  return { ...caller, orgId, role, policy, policyVersion };
}

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
