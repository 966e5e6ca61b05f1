import { markApiKeyUsed, type Principal, principalOfApiKey, principalOfSession } from '../../db/auth/index.ts';
import type { Database } from '../../db/core/index.ts';
import type { Role } from '../../domain/permissions/index.ts';
import { isApiKeyValue, publicIdOf } from './api-key-value.ts';
import type { OrgCaller, SignedInCaller } from './api-context.ts';
import type { SessionTokens } from './tokens.ts';

/** Who a token stands for, and until when. */
export interface Authentication {
  readonly caller: SignedInCaller & { readonly orgId: string | null; readonly role: Role | null };
  /** Milliseconds of the epoch; `undefined` for a key, which lasts until it is revoked. */
  readonly expiresAt: number | undefined;
}

interface AuthenticateDeps {
  readonly database: Database;
  readonly tokens: SessionTokens;
}

/**
 * Reads an access token or an API key and looks its user up: what they may do is asked of the database each time, never
 * of the token. Answers `undefined` for anything else. `orgId` chooses the organization of a session; a key has its own.
 */
export async function authenticate(
  { database, tokens }: AuthenticateDeps,
  token: string,
  orgId: string | undefined,
): Promise<Authentication | undefined> {
  const publicId = publicIdOf(token);
  if (publicId !== undefined) return authenticateApiKey(database, token, publicId, orgId);
  const claims = await tokens.read('access', token);
  if (claims === undefined) return undefined;
  const principal = await principalOfSession(database, claims.sessionId, orgId);
  return principal && { caller: toCaller(principal, claims.sessionId), expiresAt: claims.expiresAt * 1000 };
}

async function authenticateApiKey(
  database: Database,
  token: string,
  publicId: string,
  orgId: string | undefined,
): Promise<Authentication | undefined> {
  const key = await principalOfApiKey(database, publicId);
  if (key === undefined || !isApiKeyValue(token, key.secretHash)) return undefined;
  if (key.isUseDue) await markApiKeyUsed(database, key.keyId);
  const isElsewhere = orgId !== undefined && orgId !== key.orgId;
  return { caller: toCaller(isElsewhere ? { ...key, orgId: null, role: null } : key, undefined), expiresAt: undefined };
}

function toCaller({ userId, isManaged, orgId, role }: Principal, sessionId: string | undefined) {
  return { userId, isManaged, orgId, role, sessionId };
}

/** The caller as a member of an organization; `undefined` when they are in none. */
export function asOrgCaller(caller: Authentication['caller']): OrgCaller | undefined {
  const { orgId, role } = caller;
  return orgId === null || role === null ? undefined : { ...caller, orgId, role };
}
