import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { defineEntity, p } from '@mikro-orm/core';
import { AppError, notFound } from '../domain/core/app-error.ts';
import type { Membership } from '../domain/orgs.ts';
import type { Role } from '../domain/permissions/keys.ts';
import { afterCommit } from './core/after-commit.ts';
import type { Database } from './core/database.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import { type Transaction, withSystemTransactionFor } from './core/transactions.ts';
import { purgeRows, readRecords } from './records/records.ts';
import { tenantFilters, tenantProperties } from './core/tenant-entity.ts';

const schema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    userId: p.uuid(),
    name: p.text(),
    publicId: p.text(),
    secretHash: p.blob().$type<Buffer>(),
    /** The last four characters of the key; null for one that was made before they were kept. */
    hint: p.text().strictNullable(),
    /** Null when unknown. */
    madeBy: p.text().$type<'sign_in' | 'device' | 'key'>().strictNullable(),
    /** The session with which the key was created; null for the key that a device gets at sign-in. */
    sessionId: p.uuid().strictNullable(),
    /** The key with which the key was created. */
    parentKeyId: p.uuid().strictNullable(),
    expiresAt: p.datetime().strictNullable(),
    lastUsedAt: p.datetime().strictNullable(),
  },
});

/** A user's key for programmatic access to one organization. `secretHash` is the SHA-256 of the whole key. */
class ApiKey extends schema.class {}
schema.setClass(ApiKey);

/** A key as its user and the administrators see it. */
export type ShownApiKey = Omit<ApiKey, 'publicId' | 'secretHash' | 'sessionId' | 'parentKeyId'>;

/** The condition for valid keys; lists show no others, and no others count. */
export const IS_LIVE_KEY = '(expires_at is null or expires_at > now())';

/** Returns the user's keys of the organization, oldest first. */
export async function listApiKeys(
  database: Database,
  { orgId, userId }: { orgId: string; userId: string },
  page: Page,
): Promise<Listed<ShownApiKey>> {
  const query = { name: 'list-api-keys', where: `user_id = $2 and ${IS_LIVE_KEY}`, values: [userId], page };
  return readRecords(database, orgId, ApiKey, query);
}

/** The stored form of a key's value. */
interface KeyValue {
  readonly publicId: string;
  readonly secretHash: Buffer;
  readonly hint: string;
}

/** The columns of `ShownApiKey`, for statements that select from `api_keys k`. */
const SHOWN_KEY = `k.id, k.org_id as "orgId", k.user_id as "userId", k.name, k.hint, k.made_by as "madeBy",
  k.created_at as "createdAt", k.updated_at as "updatedAt", k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt"`;

// Locked, so that no key is created while its session is being ended: ending it removes the keys afterwards.
const ORIGIN = (session: string) => `origin as (
  select id as session_id, null::uuid as parent_key_id,
    case when bound_org_id is null then 'sign_in' else 'device' end as made_by,
    case when bound_org_id is not null then expires_at end as expires_at
  from sessions where id = ${session} and revoked_at is null and expires_at > now() for share
)`;

// By its value, which another request may be replacing: that removes the keys that were created with it.
const ORIGIN_OF_CHILD = (publicId: string) => `origin as (
  select null::uuid as session_id, id as parent_key_id, 'key' as made_by, expires_at
  from api_keys where public_id = ${publicId} and ${IS_LIVE_KEY} for share
)`;

/** Where a key was created. */
interface KeyOrigin {
  readonly sessionId: string | undefined;
  /** The public part of the value of a key, without a session. */
  readonly keyPublicId: string | undefined;
}

// Before the session and the key, as in all that ends them: a key refers to both, as does the record of its old value.
async function lockOwner(transaction: Transaction, { orgId, userId }: Membership): Promise<void> {
  await transaction.query('select from orgs where id = $1 for key share', [orgId]);
  await transaction.query('select from users where id = $1 for key share', [userId]);
}

/**
 * Stores a key by the hash of its value, created with a live session or key; a key created with a device's session
 * lasts as long as it, and one created with a key no longer than that.
 */
export async function createApiKey(
  transaction: Transaction,
  { orgId, userId }: Membership,
  { name, sessionId, keyPublicId, ...value }: KeyValue & KeyOrigin & { readonly name: string },
): Promise<ShownApiKey> {
  await lockOwner(transaction, { orgId, userId });
  const { rows } = await transaction.query<ShownApiKey>(
    `with ${sessionId === undefined ? ORIGIN_OF_CHILD('$8') : ORIGIN('$8')}, expired as (
        delete from api_keys where org_id = $2 and user_id = $3 and expires_at < now()
      )
      insert into api_keys as k (
        id, org_id, user_id, name, public_id, secret_hash, hint, made_by, session_id, parent_key_id, expires_at
      )
      select $1, $2, $3, $4, $5, $6, $7, made_by, session_id, parent_key_id, expires_at from origin
      returning ${SHOWN_KEY}`,
    [uuidv7(), orgId, userId, name, value.publicId, value.secretHash, value.hint, sessionId ?? keyPublicId],
  );
  const [key] = rows;
  if (key === undefined) throw new AppError('unauthenticated', 'What you signed in with has just ended; sign in again');
  return key;
}

/**
 * Gives the user's key a new value; the old one, and the keys that were created with it, become invalid when the
 * transaction commits. With a session the key belongs to that session from now on, since it has seen the value. With a
 * key (`keyId`), which may be itself or the one that it was created with, it keeps its origin; `forbidden` with others.
 */
export async function rotateApiKey(
  database: Database,
  { orgId, userId, id }: Membership & { readonly id: string },
  {
    sessionId,
    keyId,
    ...value
  }: KeyValue & { readonly sessionId: string | undefined; readonly keyId: string | undefined },
): Promise<ShownApiKey> {
  return withSystemTransactionFor(database, orgId, async (transaction) => {
    await lockOwner(transaction, { orgId, userId });
    if (keyId !== undefined && keyId !== id) await requireChild(transaction, { id, keyId });
    const { rows } = await transaction.query<ShownApiKey>(
      `with ${ORIGIN('$7')}
        update api_keys k set public_id = $4, secret_hash = $5, hint = $6, updated_at = now(),
          made_by = coalesce(origin.made_by, k.made_by), session_id = coalesce(origin.session_id, k.session_id),
          parent_key_id = case when origin.session_id is null then k.parent_key_id end,
          expires_at = case when origin.session_id is null then k.expires_at else origin.expires_at end
        from (select $7::uuid as session_id) sent left join origin on true
        where k.id = $1 and k.org_id = $2 and k.user_id = $3 and (k.expires_at is null or k.expires_at > now())
          and (sent.session_id is null or origin.session_id is not null)
        returning ${SHOWN_KEY}`,
      [id, orgId, userId, value.publicId, value.secretHash, value.hint, sessionId ?? null],
    );
    const [key] = rows;
    if (key === undefined) throw notFound('API key');
    await transaction.query('delete from api_keys where parent_key_id = $1', [id]);
    afterCommit(transaction, { accessOf: [userId] });
    return key;
  });
}

async function requireChild(transaction: Transaction, { id, keyId }: { id: string; keyId: string }): Promise<void> {
  const { rows } = await transaction.query('select from api_keys where id = $1 and parent_key_id = $2', [id, keyId]);
  if (rows.length > 0) return;
  throw new AppError('forbidden', 'An API key can rotate itself and keys created with it; sign in to rotate others');
}

/** Deletes the user's key, with those that were created with it. */
export async function revokeApiKey(em: EntityManager, { id, userId }: { id: string; userId: string }): Promise<void> {
  const deleted = await em.nativeDelete(ApiKey, { id, userId });
  if (deleted === 0) throw notFound('API key');
  afterCommit(em, { accessOf: [userId] });
}

/** Notes that a key was used. Callers do so once a minute (`isUseDue`). */
export async function markApiKeyUsed({ system }: Database, keyId: string): Promise<void> {
  await system.query({
    name: 'mark-api-key-used',
    text: 'update api_keys set last_used_at = now() where id = $1',
    values: [keyId],
  });
}

/** Stores the key that a device gets at sign-in, and returns its id. */
export async function createDeviceKey(
  transaction: Transaction,
  { orgId, userId }: Membership,
  { name, publicId, secretHash, hint }: KeyValue & { readonly name: string },
): Promise<string> {
  const id = uuidv7();
  await transaction.query(
    `insert into api_keys (id, org_id, user_id, name, public_id, secret_hash, hint, made_by)
      values ($1, $2, $3, $4, $5, $6, $7, 'device')`,
    [id, orgId, userId, name, publicId, secretHash, hint],
  );
  return id;
}

/** Deletes expired keys, and the records of retired ones. */
export async function purgeApiKeys(database: Database): Promise<void> {
  await purgeRows(database, 'api_keys', "expires_at < now() - interval '1 day'");
  await purgeRows(database, 'retired_api_keys', "retired_at < now() - interval '90 days'");
}

interface Holder {
  readonly userId: string;
}

/** Deletes all keys of an organization. */
export async function deleteKeysOfOrg(transaction: Transaction, orgId: string): Promise<void> {
  const { rows } = await transaction.query<Holder>(
    'delete from api_keys where org_id = $1 returning user_id as "userId"',
    [orgId],
  );
  afterCommit(transaction, { accessOf: rows.map(({ userId }) => userId) });
}

/** Deletes the keys of a user to an organization. */
export async function deleteKeysOfUser(transaction: Transaction, userId: string, orgId: string): Promise<void> {
  await transaction.query('delete from api_keys where user_id = $1 and org_id = $2', [userId, orgId]);
  afterCommit(transaction, { accessOf: [userId] });
}

/**
 * Deletes the keys of a user that were made with a session. Runs after their sessions have ended: no other key is made
 * then.
 */
export async function deleteSessionKeys(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query('delete from api_keys where user_id = $1 and session_id is not null', [userId]);
  afterCommit(transaction, { accessOf: [userId] });
}

/**
 * Deletes the keys that were made with sessions, and those of their devices. Runs after the sessions have ended, in a
 * statement of its own: a key that was being created at the same time exists by now.
 */
export async function deleteKeysOfSessions(
  transaction: Transaction,
  sessionIds: readonly string[],
  deviceKeyId: string | null = null,
): Promise<void> {
  const { rows } = await transaction.query<Holder>(
    'delete from api_keys where session_id = any($1::uuid[]) or id = $2 returning user_id as "userId"',
    [sessionIds, deviceKeyId],
  );
  afterCommit(transaction, { accessOf: rows.map(({ userId }) => userId) });
}

/** A key with its holder. */
interface MemberKey extends ShownApiKey {
  readonly email: string;
}

/** Returns the keys of all members of the organization, oldest first. */
export async function listOrgKeys({ tenant }: Database, orgId: string, page: Page): Promise<Listed<MemberKey>> {
  return readPage<MemberKey>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-org-keys',
    columns: `${SHOWN_KEY}, u.email`,
    bytes: '500 + octet_length(k.name) + octet_length(u.email)',
    source: `from api_keys k join users u on u.id = k.user_id
      where k.org_id = $1 and ${IS_LIVE_KEY}`,
    order: 'k.id',
    values: [orgId],
    page,
  });
}

/** Returns the holder of a key and their role in the organization; `not_found` when there is no such key. */
export async function findKeyHolder(
  { tenant }: Database,
  { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
): Promise<{ userId: string; role: Role }> {
  const [holder] = await tenant.query<{ userId: string; role: Role }>(orgId, {
    name: 'find-key-holder',
    text: `select m.user_id as "userId", m.role from api_keys k
      join memberships m on m.org_id = k.org_id and m.user_id = k.user_id where k.org_id = $1 and k.id = $2`,
    values: [orgId, keyId],
  });
  if (holder === undefined) throw notFound('API key');
  return holder;
}

export { schema as apiKeySchema };
