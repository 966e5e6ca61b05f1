import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../domain/core/app-error.ts';
import { afterCommit } from './core/after-commit.ts';
import type { Database } from './core/database.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import { type Transaction, withSystemTransaction } from './core/transactions.ts';
import { deleteKeysOfSessions } from './api-keys.ts';
import { endDeviceSessions, type Session } from './sessions.ts';

/** A device that was signed in by redeeming an invite, for one organization. */
interface Device {
  readonly id: string;
  readonly orgId: string;
  readonly userId: string;
  readonly name: string;
  readonly platform: string;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The owner of devices: a user in all their organizations, or in one. */
interface DeviceOwner {
  readonly userId: string;
  readonly orgId?: string;
}

/** The stored form of a new credential. */
export interface StoredToken {
  readonly publicId: string;
  readonly secretHash: Buffer;
}

// A device lasts as long as its session: signing out, or a new password, ends both.
const LIVE = `device_tokens d join sessions s on s.id = d.session_id and s.revoked_at is null and s.expires_at > now()`;
const OWNED = `d.user_id = $1 and ($2::uuid is null or d.org_id = $2)`;

interface NewDevice {
  readonly orgId: string;
  readonly userId: string;
  readonly sessionId: string;
  /** The API key that was made with the device, and is revoked with it. */
  readonly apiKeyId: string | null;
  readonly name: string;
  readonly platform: string;
}

/** Stores a device by the hash of its token. */
export async function createDevice(
  transaction: Transaction,
  device: NewDevice,
  { publicId, secretHash }: StoredToken,
): Promise<string> {
  const id = uuidv7();
  const { orgId, userId, sessionId, apiKeyId, name, platform } = device;
  await transaction.query(
    `insert into device_tokens (id, org_id, user_id, session_id, api_key_id, name, platform, public_id, secret_hash)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, orgId, userId, sessionId, apiKeyId, name, platform, publicId, secretHash],
  );
  return id;
}

/** Returns the signed-in devices, oldest first. */
export async function listDevices(
  { system }: Database,
  { userId, orgId }: DeviceOwner,
  page: Page,
): Promise<Listed<Device>> {
  return readPage<Device>(async (statement) => (await system.query<Device>(statement)).rows, {
    name: 'list-devices',
    columns: `d.id, d.org_id as "orgId", d.user_id as "userId", d.name, d.platform, d.last_used_at as "lastUsedAt",
      s.expires_at as "expiresAt", d.created_at as "createdAt", d.updated_at as "updatedAt"`,
    bytes: '400 + octet_length(d.name) + octet_length(d.platform)',
    source: `from ${LIVE} where ${OWNED}`,
    order: 'd.id',
    values: [userId, orgId ?? null],
    page,
  });
}

/** Signs a device out for good: its token, its session, its own API key and the keys made with it are removed. */
export async function revokeDevice(
  database: Database,
  { userId, orgId }: DeviceOwner,
  deviceId: string,
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ sessionId: string; apiKeyId: string | null }>(
      `delete from device_tokens d where ${OWNED} and d.id = $3
        returning session_id as "sessionId", api_key_id as "apiKeyId"`,
      [userId, orgId ?? null, deviceId],
    );
    const [device] = rows;
    if (device === undefined) throw notFound('Device');
    await endDeviceSessions(transaction, [device.sessionId]);
    await deleteKeysOfSessions(transaction, [device.sessionId], device.apiKeyId);
    afterCommit(transaction, { accessOf: [userId] });
  });
}

/** The session of a signed-in device whose user still belongs to its organization. */
interface DeviceLogin {
  readonly id: string;
  readonly secretHash: Buffer;
  readonly session: Pick<Session, 'id' | 'generation'>;
}

/** Returns the device with this public part of its token; the caller compares the secret. */
export async function findDeviceLogin({ system }: Database, publicId: string): Promise<DeviceLogin | undefined> {
  const { rows } = await system.query<DeviceLogin>({
    name: 'find-device-login',
    text: `select d.id, d.secret_hash as "secretHash",
        json_build_object('id', s.id, 'generation', s.generation) as session
      from ${LIVE} join memberships m on m.org_id = d.org_id and m.user_id = d.user_id where d.public_id = $1`,
    values: [publicId],
  });
  return rows[0];
}

/** Notes that a device was used. */
export async function markDeviceUsed({ system }: Database, deviceId: string): Promise<void> {
  await system.query('update device_tokens set last_used_at = now() where id = $1', [deviceId]);
}

/** Signs out the devices of an organization, or those of one of its users. */
export async function removeDevices(
  transaction: Transaction,
  { orgId, userId }: { readonly orgId: string; readonly userId?: string },
): Promise<void> {
  const { rows } = await transaction.query<{ sessionId: string }>(
    `delete from device_tokens where org_id = $1 and ($2::uuid is null or user_id = $2)
      returning session_id as "sessionId"`,
    [orgId, userId ?? null],
  );
  await endDeviceSessions(
    transaction,
    rows.map(({ sessionId }) => sessionId),
  );
}
