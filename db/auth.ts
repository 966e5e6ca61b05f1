import type { Role } from '../domain/permissions/keys.ts';
import { IS_LIVE_KEY, purgeApiKeys } from './api-keys.ts';
import type { Database } from './core/database.ts';
import { purgePasswordData } from './passwords.ts';
import { purgeTentativeAccounts } from './providers/provider-accounts.ts';
import { purgeSessions } from './sessions.ts';
import { IS_MANAGED } from './users/user.ts';

/** The user behind a credential, and their membership in the organization that the request is about. */
export interface Principal {
  readonly userId: string;
  readonly isManaged: boolean;
  /** Null when the user belongs to no such organization. */
  readonly orgId: string | null;
  readonly role: Role | null;
  /** Changes with every change of the permission groups that decide about the user's rights. */
  readonly policyVersion: string | null;
  /** How long the credential stays valid by itself, in milliseconds; at most a day. */
  readonly validForMs: number;
}

const PRINCIPAL = `u.id as "userId", ${IS_MANAGED} as "isManaged", m.org_id as "orgId", m.role,
  m.policy_version as "policyVersion"`;

// A duration, because the database's clock may differ from the api's; bounded, because the time may be infinite.
const validForMs = (expiresAt: string) =>
  `extract(epoch from least(${expiresAt}, now() + interval '1 day') - now())::float8 * 1000 as "validForMs"`;

/**
 * Returns the user of a live session, in `orgId` or, when that is undefined, in their active organization. The session
 * of a device reaches its own organization only.
 */
export async function principalOfSession(
  { system }: Database,
  sessionId: string,
  orgId: string | undefined,
): Promise<Principal | undefined> {
  const { rows } = await system.query<Principal>({
    name: 'principal-of-session',
    text: `select ${PRINCIPAL}, ${validForMs('s.expires_at')} from sessions s join users u on u.id = s.user_id
      left join memberships m on m.user_id = u.id and m.org_id = coalesce($2::uuid, s.bound_org_id, u.active_org_id)
        and m.org_id = coalesce(s.bound_org_id, m.org_id)
      where s.id = $1 and s.revoked_at is null and s.expires_at > now()`,
    values: [sessionId, orgId ?? null],
  });
  return rows[0];
}

/** A stored API key with its owner, in the key's organization. */
interface KeyPrincipal extends Principal {
  readonly keyId: string;
  readonly secretHash: Buffer;
  /** Whether the key's last use is unknown or more than a minute old. */
  readonly isUseDue: boolean;
  /** Null for a key that lasts until it is revoked. */
  readonly expiresAt: Date | null;
}

/** Returns the key with this public part; the caller compares the secret. */
export async function principalOfApiKey({ system }: Database, publicId: string): Promise<KeyPrincipal | undefined> {
  const { rows } = await system.query<KeyPrincipal>({
    name: 'principal-of-api-key',
    text: `select ${PRINCIPAL}, ${validForMs('k.expires_at')}, k.id as "keyId", k.secret_hash as "secretHash", k.expires_at as "expiresAt",
        coalesce(k.last_used_at < now() - interval '1 minute', true) as "isUseDue"
      from api_keys k join users u on u.id = k.user_id
      join memberships m on m.user_id = k.user_id and m.org_id = k.org_id
      where k.public_id = $1 and ${IS_LIVE_KEY}`,
    values: [publicId],
  });
  return rows[0];
}

/**
 * Channel on which the api processes hear which users' rights or credentials have changed, and which chats fewer people
 * may read: an id of a user, a chat or an organization.
 */
export const ACCESS_CHANNEL = 'access_changed';

/** Removes expired sign-ins, keys, addresses and links, in batches. */
export async function purgeCredentials(database: Database): Promise<void> {
  await purgeSessions(database);
  await purgeApiKeys(database);
  await purgePasswordData(database);
  await purgeTentativeAccounts(database);
}
