import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../core/database.ts';
import { inSystem, type Transaction } from '../core/in-system.ts';

/** A sign-in. Its refresh tokens carry a generation; only the newest one is good, an older one ends the session. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly generation: number;
}

const IS_LIVE = 'revoked_at is null and expires_at > now()';

interface NewSession {
  readonly userId: string;
  /** How long it can be refreshed. */
  readonly lifetimeSeconds: number;
  /** The one organization that it reaches; all of the user's unless given. */
  readonly boundOrgId?: string;
}

/** Opens a session, over `database.system` or in a transaction of it. */
export async function openSession(
  system: Transaction,
  { userId, lifetimeSeconds, boundOrgId }: NewSession,
): Promise<Session> {
  const id = uuidv7();
  await system.query(
    "insert into sessions (id, user_id, bound_org_id, expires_at) values ($1, $2, $3, now() + $4 * interval '1 second')",
    [id, userId, boundOrgId ?? null, lifetimeSeconds],
  );
  return { id, userId, generation: 0 };
}

interface AdvancedSession {
  /** Absent when the session cannot be continued with this generation. */
  readonly session: Session | undefined;
  /** The user of a session that was ended just now. */
  readonly endedUserId: string | undefined;
}

/**
 * Takes a live session to its next generation and prolongs it. When `generation` is not the newest, its token was used
 * before, so somebody holds a copy: the session is ended, and the API keys that were made with it are gone.
 */
export async function advanceSession(
  database: Database,
  { id, generation }: Pick<Session, 'id' | 'generation'>,
  lifetimeSeconds: number,
): Promise<AdvancedSession> {
  const { rows } = await database.system.query<Session>(
    `update sessions set generation = generation + 1, expires_at = now() + $3 * interval '1 second'
      where id = $1 and generation = $2 and ${IS_LIVE}
      returning id, user_id as "userId", generation`,
    [id, generation, lifetimeSeconds],
  );
  const [session] = rows;
  if (session !== undefined) return { session, endedUserId: undefined };
  return { session: undefined, endedUserId: await endStolenSession(database, id) };
}

/** Ends a session that two have used, with all that was made with it; answers whose it was when it was live until now. */
async function endStolenSession(database: Database, sessionId: string): Promise<string | undefined> {
  return inSystem(database, async (transaction) => {
    const { rows } = await transaction.query<{ userId: string }>(
      `update sessions set revoked_at = now() where id = $1 and ${IS_LIVE} returning user_id as "userId"`,
      [sessionId],
    );
    const [session] = rows;
    // Who comes late with a token of a session that was signed out proves nothing.
    if (session !== undefined) await endKeysOf(transaction, sessionId);
    return session?.userId;
  });
}

/**
 * Ends a session at its user's wish; its access and refresh tokens are worthless from now on. The API keys that were made with a
 * device's go with it; those of a sign-in stay, as what they are made for goes on without it.
 */
export async function endSession(database: Database, sessionId: string): Promise<void> {
  await inSystem(database, async (transaction) => {
    const { rows } = await transaction.query<{ isOfDevice: boolean }>(
      `update sessions set revoked_at = coalesce(revoked_at, now()) where id = $1
        returning bound_org_id is not null as "isOfDevice"`,
      [sessionId],
    );
    if (rows[0]?.isOfDevice === true) await endKeysOf(transaction, sessionId);
  });
}

// After the session has ended, in a statement of its own: a key that was being made meanwhile is there by now.
async function endKeysOf(transaction: Transaction, sessionId: string): Promise<void> {
  await transaction.query('delete from api_keys where session_id = $1', [sessionId]);
}
