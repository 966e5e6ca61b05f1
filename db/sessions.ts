import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../domain/core/app-error.ts';
import { deleteKeysOfSessions } from './api-keys.ts';
import type { Database } from './core/database.ts';
import { afterCommit } from './core/after-commit.ts';
import { type Listed, type Page, readPage } from './core/page.ts';
import { type Transaction, withSystemTransaction } from './core/transactions.ts';
import { purgeRows } from './records/records.ts';

/** A sign-in. Its refresh tokens contain a generation; only the newest one is valid, an older one ends the session. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly generation: number;
  /** When this generation began. */
  readonly refreshedAt: Date;
}

const SESSION = 'id, user_id as "userId", generation, refreshed_at as "refreshedAt"';
/** How long the previous generation's token stays valid: its response may be lost, or two tabs may ask at once. */
const GRACE_SECONDS = 30;

/** The program of a sign-in, by which its user recognizes it. Null where unknown. */
export interface SessionClient {
  /** The user agent of the client, as one line. */
  readonly userAgent: string | null;
  /** The address that its requests come from. */
  readonly ipAddress: string | null;
}

interface NewSession {
  readonly userId: string;
  /** How long it can be refreshed. */
  readonly lifetimeSeconds: number;
  /** The only organization that it reaches; all of the user's unless given. */
  readonly boundOrgId?: string;
  /** The id of the key that signs its refresh tokens; unset where it gets none. */
  readonly refreshKeyId?: string;
  /** Unknown unless given: devices have a name of their own. */
  readonly client?: SessionClient;
}

/** Opens a session, on `database.system` or in a transaction of it. */
export async function openSession(
  system: Transaction,
  { userId, lifetimeSeconds, boundOrgId, refreshKeyId, client }: NewSession,
): Promise<Session> {
  const { rows } = await system.query<Session>(
    `insert into sessions (id, user_id, bound_org_id, expires_at, user_agent, ip_address, refresh_key_id)
      values ($1, $2, $3, now() + $4 * interval '1 second', $5, $6, $7) returning ${SESSION}`,
    [
      uuidv7(),
      userId,
      boundOrgId ?? null,
      lifetimeSeconds,
      client?.userAgent ?? null,
      client?.ipAddress ?? null,
      refreshKeyId ?? null,
    ],
  );
  const [session] = rows;
  if (session === undefined) throw new Error('the session was not stored');
  return session;
}

interface SessionByPassword extends Omit<NewSession, 'boundOrgId' | 'client'> {
  readonly passwordHash: string;
  readonly client: SessionClient;
  /** The stored form of the secret that a browser keeps in a cookie; none for a session with refresh tokens. */
  readonly browser?: { readonly publicId: string; readonly secretHash: Buffer };
}

/**
 * Opens a session for a user whose password was right; undefined when that password has changed since it was checked. A
 * password change ends the sessions in a later statement of its own.
 */
export async function openSessionByPassword(
  { system }: Database,
  { userId, passwordHash, lifetimeSeconds, client, browser, refreshKeyId }: SessionByPassword,
): Promise<Session | undefined> {
  const { rows } = await system.query<Session>(
    // The account is locked first, as in changing or deleting it: otherwise the two could deadlock.
    `with account as (select id from users where id = $2 for key share),
        checked as (
          select user_id from user_passwords where user_id = (select id from account) and hash = $3 for share
        )
      insert into sessions (
        id, user_id, expires_at, user_agent, ip_address, browser_public_id, browser_secret_hash, refresh_key_id
      )
      select $1, user_id, now() + $4 * interval '1 second', $5, $6, $7, $8, $9 from checked returning ${SESSION}`,
    [
      uuidv7(),
      userId,
      passwordHash,
      lifetimeSeconds,
      client.userAgent,
      client.ipAddress,
      browser?.publicId ?? null,
      browser?.secretHash ?? null,
      refreshKeyId ?? null,
    ],
  );
  return rows[0];
}

/** How a live session continues. */
interface Refreshing {
  /** How long it can be refreshed from now on. */
  readonly lifetimeSeconds: number;
  /** The program that uses it now. */
  readonly client: SessionClient;
}

interface AdvancedSession {
  /** Absent when the session cannot be continued with this generation. */
  readonly session: Session | undefined;
  /** The user of a session that was ended just now. */
  readonly endedUserId: string | undefined;
}

/**
 * Advances a live session to its next generation and prolongs it. The previous generation gets the newest one once
 * more, while that is new and unused. Any other generation was used before, so somebody has a copy of its token: the
 * session is ended, and the API keys that were made with it are removed.
 */
export async function advanceSession(
  database: Database,
  { id, generation }: Pick<Session, 'id' | 'generation'>,
  { lifetimeSeconds, client: { userAgent, ipAddress }, refreshKeyId }: Refreshing & { readonly refreshKeyId: string },
): Promise<AdvancedSession> {
  const { rows } = await database.system.query<Session>(
    `update sessions set generation = generation + 1, refreshed_at = now(), expires_at = now() + $3 * interval '1 second',
        user_agent = $4, ip_address = $5, refresh_key_id = $6
      where id = $1 and generation = $2 and ${IS_LIVE} returning ${SESSION}`,
    [id, generation, lifetimeSeconds, userAgent, ipAddress, refreshKeyId],
  );
  const session = rows[0] ?? (await findRefreshed(database, { id, generation: generation + 1 }));
  if (session !== undefined) return { session, endedUserId: undefined };
  return { session: undefined, endedUserId: await endStolenSession(database, id) };
}

async function findRefreshed(
  { system }: Database,
  { id, generation }: Pick<Session, 'id' | 'generation'>,
): Promise<Session | undefined> {
  const { rows } = await system.query<Session>(
    `select ${SESSION} from sessions where id = $1 and generation = $2 and ${IS_LIVE}
      and refreshed_at > now() - interval '${GRACE_SECONDS} seconds'`,
    [id, generation],
  );
  return rows[0];
}

/** A sign-in as its user sees it. */
interface ListedSession extends SessionClient {
  readonly id: string;
  readonly createdAt: Date;
  readonly refreshedAt: Date;
  readonly expiresAt: Date;
}

/** Returns the live sign-ins of a user, oldest first. Those of devices are listed with the devices. */
export async function listSessions({ system }: Database, userId: string, page: Page): Promise<Listed<ListedSession>> {
  return readPage<ListedSession>(async (statement) => (await system.query<ListedSession>(statement)).rows, {
    name: 'list-sessions',
    columns: `id, user_agent as "userAgent", ip_address as "ipAddress", created_at as "createdAt",
      refreshed_at as "refreshedAt", expires_at as "expiresAt"`,
    bytes: '300 + coalesce(octet_length(user_agent), 0)',
    source: `from sessions where user_id = $1 and bound_org_id is null and ${IS_LIVE}`,
    order: 'id',
    values: [userId],
    page,
  });
}

/** Checks that a sign-in is the user's and live; throws `not_found` otherwise. */
export async function requireOwnSession({ system }: Database, userId: string, sessionId: string): Promise<void> {
  const { rows } = await system.query(
    `select from sessions where id = $1 and user_id = $2 and bound_org_id is null and ${IS_LIVE}`,
    [sessionId, userId],
  );
  if (rows.length === 0) throw notFound('Session');
}

/**
 * Deletes sessions that expired a day ago: none of their tokens is valid, and the audit log knows by then who tried
 * one.
 */
export async function purgeSessions(database: Database): Promise<void> {
  await purgeRows(database, 'sessions', "expires_at < now() - interval '1 day'");
}

/** The live sessions whose refresh tokens were signed with one key. */
interface SessionsOfKey {
  readonly keyId: string;
  readonly count: number;
  /** When the last of them ends unless it is refreshed. */
  readonly lastEndsAt: Date;
}

/** Counts the live sessions that can be refreshed only while the api has a key, by the id of that key. */
export async function countSessionsByKey({ system }: Pick<Database, 'system'>): Promise<SessionsOfKey[]> {
  const { rows } = await system.query<SessionsOfKey>(
    `select refresh_key_id as "keyId", count(*)::int as count, max(expires_at) as "lastEndsAt" from sessions
      where refresh_key_id is not null and ${IS_LIVE} group by 1 order by 1`,
  );
  return rows;
}

/** A live session whose secret a browser stores. */
interface BrowserSession extends Session {
  readonly secretHash: Buffer;
}

/** Returns the live session with this public part of its secret; the caller compares the secret. */
export async function findBrowserSession({ system }: Database, publicId: string): Promise<BrowserSession | undefined> {
  const { rows } = await system.query<BrowserSession>({
    name: 'find-browser-session',
    text: `select ${SESSION}, browser_secret_hash as "secretHash" from sessions
      where browser_public_id = $1 and ${IS_LIVE}`,
    values: [publicId],
  });
  return rows[0];
}

/**
 * Prolongs a live session that a browser has used; undefined when it has ended in the meantime. Its secret stays the
 * same, so a lost response and two tabs that ask at once end nothing.
 */
export async function prolongBrowserSession(
  { system }: Database,
  id: string,
  { lifetimeSeconds, client: { userAgent, ipAddress } }: Refreshing,
): Promise<Session | undefined> {
  const { rows } = await system.query<Session>(
    `update sessions set refreshed_at = now(), expires_at = now() + $2 * interval '1 second', user_agent = $3,
        ip_address = $4
      where id = $1 and ${IS_LIVE} returning ${SESSION}`,
    [id, lifetimeSeconds, userAgent, ipAddress],
  );
  return rows[0];
}

// The client of a session is of no use once it has ended. The audit log has the actions and denials.
const ENDED = 'revoked_at = coalesce(revoked_at, now()), user_agent = null, ip_address = null';

/** Ends a session whose token was copied, with everything made with it; returns its user if it was live until now. */
async function endStolenSession(database: Database, sessionId: string): Promise<string | undefined> {
  return withSystemTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ userId: string }>(
      `update sessions set ${ENDED} where id = $1 and ${IS_LIVE} returning user_id as "userId"`,
      [sessionId],
    );
    const [session] = rows;
    // A late token of a session that was signed out proves nothing.
    if (session === undefined) return undefined;
    await deleteKeysOfSessions(transaction, [sessionId]);
    afterCommit(transaction, { accessOf: [session.userId] });
    return session.userId;
  });
}

/**
 * Ends a session at its user's wish; its access and refresh tokens are invalid from now on. The API keys that were made
 * with a device's session are removed with it. Those of a sign-in stay when it signs itself out, because the programs
 * that use them continue. `withKeys` removes them too, for a sign-in that is ended from elsewhere and may be somebody
 * else's.
 */
export async function endSession(
  database: Database,
  sessionId: string,
  { withKeys = false }: { readonly withKeys?: boolean } = {},
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ userId: string; isOfDevice: boolean }>(
      `update sessions set ${ENDED} where id = $1
        returning user_id as "userId", bound_org_id is not null as "isOfDevice"`,
      [sessionId],
    );
    const [session] = rows;
    if (session === undefined) return;
    if (withKeys || session.isOfDevice) await deleteKeysOfSessions(transaction, [sessionId]);
    afterCommit(transaction, { accessOf: [session.userId] });
  });
}

/**
 * Ends all sign-ins of a user but one, or all when none is to be kept, with the API keys that were made in them.
 * Devices stay. Returns the ids of those that ended, in no order.
 */
export async function endOtherSessions(database: Database, userId: string, keptId?: string): Promise<string[]> {
  return withSystemTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ id: string }>(
      `update sessions set ${ENDED}
        where user_id = $1 and bound_org_id is null and id is distinct from $2 and ${IS_LIVE} returning id`,
      [userId, keptId ?? null],
    );
    const ids = rows.map(({ id }) => id);
    await deleteKeysOfSessions(transaction, ids);
    afterCommit(transaction, { accessOf: [userId] });
    return ids;
  });
}

/** Ends all sessions of a user. */
export async function endSessionsOf(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query(`update sessions set ${ENDED} where user_id = $1 and revoked_at is null`, [userId]);
  afterCommit(transaction, { accessOf: [userId] });
}

/** Ends the sessions of devices that were removed. */
export async function endDeviceSessions(transaction: Transaction, sessionIds: readonly string[]): Promise<void> {
  const { rows } = await transaction.query<{ userId: string }>(
    `update sessions set ${ENDED} where id = any($1::uuid[]) and revoked_at is null
      returning user_id as "userId"`,
    [sessionIds],
  );
  afterCommit(transaction, { accessOf: rows.map(({ userId }) => userId) });
}

/** An SQL condition: that a session can still be used. */
const IS_LIVE = 'revoked_at is null and expires_at > now()';
