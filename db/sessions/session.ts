import { v7 as uuidv7 } from 'uuid';
import { afterCommit } from '../core/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import { withSystemTransaction, type Transaction } from '../core/with-system-transaction.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { deleteKeysOfSession } from '../api-keys/index.ts';
import { purgeRows } from '../records/index.ts';

/** A sign-in. Its refresh tokens carry a generation; only the newest one is valid, an older one ends the session. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly generation: number;
  /** When this generation began. */
  readonly refreshedAt: Date;
}

export const SESSION = 'id, user_id as "userId", generation, refreshed_at as "refreshedAt"';
export const IS_LIVE = 'revoked_at is null and expires_at > now()';
/** How long the previous generation's token stays valid: its response may be lost, or two tabs may ask at once. */
const GRACE_SECONDS = 30;

interface NewSession {
  readonly userId: string;
  /** How long it can be refreshed. */
  readonly lifetimeSeconds: number;
  /** The only organization that it reaches; all of the user's unless given. */
  readonly boundOrgId?: string;
}

/** Opens a session, on `database.system` or in a transaction of it. */
export async function openSession(
  system: Transaction,
  { userId, lifetimeSeconds, boundOrgId }: NewSession,
): Promise<Session> {
  const { rows } = await system.query<Session>(
    `insert into sessions (id, user_id, bound_org_id, expires_at) values ($1, $2, $3, now() + $4 * interval '1 second')
      returning ${SESSION}`,
    [uuidv7(), userId, boundOrgId ?? null, lifetimeSeconds],
  );
  const [session] = rows;
  if (session === undefined) throw new Error('the session was not stored');
  return session;
}

interface SessionByPassword extends Omit<NewSession, 'boundOrgId'> {
  readonly passwordHash: string;
  /** The stored form of the secret that a browser keeps in a cookie; none for a session with refresh tokens. */
  readonly browser?: { readonly publicId: string; readonly secretHash: Buffer };
}

/**
 * Opens a session for a user whose password was right; undefined when that password has changed since it was checked. A
 * password change ends the sessions in a later statement of its own.
 */
export async function openSessionByPassword(
  { system }: Database,
  { userId, passwordHash, lifetimeSeconds, browser }: SessionByPassword,
): Promise<Session | undefined> {
  const { rows } = await system.query<Session>(
    // The account is locked first, as in changing or deleting it: otherwise the two could deadlock.
    `with account as (select id from users where id = $2 for key share),
        checked as (
          select user_id from user_passwords where user_id = (select id from account) and hash = $3 for share
        )
      insert into sessions (id, user_id, expires_at, browser_public_id, browser_secret_hash)
      select $1, user_id, now() + $4 * interval '1 second', $5, $6 from checked returning ${SESSION}`,
    [uuidv7(), userId, passwordHash, lifetimeSeconds, browser?.publicId ?? null, browser?.secretHash ?? null],
  );
  return rows[0];
}

interface AdvancedSession {
  /** Absent when the session cannot be continued with this generation. */
  readonly session: Session | undefined;
  /** The user of a session that was ended just now. */
  readonly endedUserId: string | undefined;
}

/**
 * Advances a live session to its next generation and prolongs it. The previous generation gets the newest one once
 * more, while that is new and unused. Any other generation was used before, so somebody holds a copy of its token: the
 * session is ended, and the API keys that were made with it are removed.
 */
export async function advanceSession(
  database: Database,
  { id, generation }: Pick<Session, 'id' | 'generation'>,
  lifetimeSeconds: number,
): Promise<AdvancedSession> {
  const { rows } = await database.system.query<Session>(
    `update sessions set generation = generation + 1, refreshed_at = now(), expires_at = now() + $3 * interval '1 second'
      where id = $1 and generation = $2 and ${IS_LIVE} returning ${SESSION}`,
    [id, generation, lifetimeSeconds],
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

/** Ends a session whose token was copied, with everything made with it; returns its user if it was live until now. */
async function endStolenSession(database: Database, sessionId: string): Promise<string | undefined> {
  return withSystemTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ userId: string }>(
      `update sessions set revoked_at = now() where id = $1 and ${IS_LIVE} returning user_id as "userId"`,
      [sessionId],
    );
    const [session] = rows;
    // A late token of a session that was signed out proves nothing.
    if (session === undefined) return undefined;
    await deleteKeysOfSession(transaction, sessionId);
    afterCommit(transaction, { accessOf: [session.userId] });
    return session.userId;
  });
}

/** A sign-in as its user sees it. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly refreshedAt: Date;
  readonly expiresAt: Date;
}

/** Returns the live sign-ins of a user, oldest first. Those of devices are listed with the devices. */
export async function listSessions({ system }: Database, userId: string, page: Page): Promise<Listed<ListedSession>> {
  return readPage<ListedSession>(async (statement) => (await system.query<ListedSession>(statement)).rows, {
    name: 'list-sessions',
    columns: 'id, created_at as "createdAt", refreshed_at as "refreshedAt", expires_at as "expiresAt"',
    bytes: '200',
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
 * Ends a session at its user's wish; its access and refresh tokens are invalid from now on. The API keys that were made
 * with a device's session are removed with it. Those of a sign-in stay when it signs itself out, because the programs
 * that use them go on. `withKeys` removes them too, for a sign-in that is ended from elsewhere and may be somebody
 * else's.
 */
export async function endSession(
  database: Database,
  sessionId: string,
  { withKeys = false }: { readonly withKeys?: boolean } = {},
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ userId: string; isOfDevice: boolean }>(
      `update sessions set revoked_at = coalesce(revoked_at, now()) where id = $1
        returning user_id as "userId", bound_org_id is not null as "isOfDevice"`,
      [sessionId],
    );
    const [session] = rows;
    if (session === undefined) return;
    if (withKeys || session.isOfDevice) await deleteKeysOfSession(transaction, sessionId);
    afterCommit(transaction, { accessOf: [session.userId] });
  });
}

/** Ends all sessions of a user. */
export async function endSessionsOf(transaction: Transaction, userId: string): Promise<void> {
  await transaction.query('update sessions set revoked_at = now() where user_id = $1 and revoked_at is null', [userId]);
  afterCommit(transaction, { accessOf: [userId] });
}

/** Ends the sessions of devices that were removed. */
export async function endDeviceSessions(transaction: Transaction, sessionIds: readonly string[]): Promise<void> {
  const { rows } = await transaction.query<{ userId: string }>(
    `update sessions set revoked_at = now() where id = any($1::uuid[]) and revoked_at is null
      returning user_id as "userId"`,
    [sessionIds],
  );
  afterCommit(transaction, { accessOf: rows.map(({ userId }) => userId) });
}

/**
 * Deletes sessions that expired a day ago: none of their tokens is valid, and the audit log knows by then who tried
 * one.
 */
export async function purgeSessions(database: Database): Promise<void> {
  await purgeRows(database, 'sessions', "expires_at < now() - interval '1 day'");
}
