import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../core/database.ts';
import type { Transaction } from '../core/in-system.ts';

/** A sign-in. Its refresh tokens carry a generation; only the newest one is good, an older one ends the session. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly generation: number;
}

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
 * before, so somebody holds a copy: the session is ended.
 */
export async function advanceSession(
  { system }: Database,
  { id, generation }: Pick<Session, 'id' | 'generation'>,
  lifetimeSeconds: number,
): Promise<AdvancedSession> {
  const { rows } = await system.query<Session & { isCurrent: boolean }>(
    `update sessions s set
      generation = case when s.generation = $2 then s.generation + 1 else s.generation end,
      revoked_at = case when s.generation = $2 then null else now() end,
      expires_at = now() + $3 * interval '1 second'
    from (select id, generation from sessions where id = $1 for update) old
    where s.id = old.id and s.revoked_at is null and s.expires_at > now()
    returning s.id, s.user_id as "userId", s.generation, old.generation = $2 as "isCurrent"`,
    [id, generation, lifetimeSeconds],
  );
  const [session] = rows;
  if (session === undefined) return { session: undefined, endedUserId: undefined };
  return session.isCurrent ? { session, endedUserId: undefined } : { session: undefined, endedUserId: session.userId };
}

/** Ends a session; its access and refresh tokens are worthless from now on. */
export async function endSession({ system }: Database, sessionId: string): Promise<void> {
  await system.query('update sessions set revoked_at = coalesce(revoked_at, now()) where id = $1', [sessionId]);
}
