import { deleteKeysOfSessions } from '../api-keys/index.ts';
import { afterCommit } from '../core/index.ts';
import type { Database } from '../core/database.ts';
import { withSystemTransaction, type Transaction } from '../core/with-system-transaction.ts';
import { IS_LIVE } from './is-live.ts';

// What a session was used with is of no use once it has ended. Whoever was denied or did what is in the audit log.
const ENDED = 'revoked_at = coalesce(revoked_at, now()), user_agent = null, ip_address = null';

/** Ends a session whose token was copied, with everything made with it; returns its user if it was live until now. */
export async function endStolenSession(database: Database, sessionId: string): Promise<string | undefined> {
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
