import { markApiKeyUsed } from '../../db/api-keys/index.ts';
import { type Principal, principalOfApiKey, principalOfSession } from '../../db/auth/index.ts';
import type { Database } from '../../db/core/index.ts';
import type { Role } from '../../domain/permissions/index.ts';
import type { OrgCaller, SignedInCaller } from '../context/api-context.ts';
import type { Policies } from './policies.ts';
import { InvalidToken } from './invalid-token.ts';
import { isTokenValue, publicPartOf } from './token-value.ts';
import type { SessionTokens } from './tokens.ts';

/** The user behind a token, and their membership in the organization that it is used for. */
export interface IdentifiedCaller extends SignedInCaller {
  readonly orgId: string | null;
  readonly role: Role | null;
  readonly policyVersion: string | null;
}

/** The parts that look up a caller. */
export interface AuthenticateDeps {
  readonly database: Database;
  readonly tokens: SessionTokens;
}

/**
 * Authenticates an access token or an API key. The caller's rights come from the database each time, never from the
 * token. Throws `InvalidToken` for anything else. `orgId` chooses the organization of a session; a key has its own.
 */
export async function authenticate(
  { database, tokens }: AuthenticateDeps,
  token: string,
  orgId: string | undefined,
): Promise<IdentifiedCaller> {
  const publicId = publicPartOf('et_key', token);
  if (publicId !== undefined) return authenticateApiKey(database, token, publicId, orgId);
  const claims = await tokens.verify('access', token);
  if (claims === undefined || claims === 'expired') throw new InvalidToken({ hasExpired: claims === 'expired' });
  const principal = await principalOfSession(database, claims.sessionId, orgId);
  if (principal === undefined) throw new InvalidToken({ hasExpired: false });
  return toCaller(principal, { sessionId: claims.sessionId, keyId: undefined, expiresAt: claims.expiresAt * 1000 });
}

/** A hash that no value has. */
const NO_HASH = Buffer.alloc(32);

async function authenticateApiKey(
  database: Database,
  token: string,
  publicId: string,
  orgId: string | undefined,
): Promise<IdentifiedCaller> {
  const key = await principalOfApiKey(database, publicId);
  // Always compared, so that the time does not reveal whether the key exists.
  const isRight = isTokenValue(token, key?.secretHash ?? NO_HASH);
  if (key === undefined || !isRight) throw new InvalidToken({ hasExpired: false });
  if (key.isUseDue) await markApiKeyUsed(database, key.keyId);
  const isElsewhere = orgId !== undefined && orgId !== key.orgId;
  const principal = isElsewhere ? { ...key, orgId: null, role: null, policyVersion: null } : key;
  return toCaller(principal, { sessionId: undefined, keyId: key.keyId, expiresAt: key.expiresAt?.getTime() });
}

function toCaller(
  { userId, isManaged, orgId, role, policyVersion }: Principal,
  credential: Pick<SignedInCaller, 'sessionId' | 'keyId' | 'expiresAt'>,
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
