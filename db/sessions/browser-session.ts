import type { Database } from '../core/database.ts';
import { IS_LIVE } from './is-live.ts';
import { type Refreshing, SESSION, type Session } from './session.ts';

/** A live session whose secret a browser holds. */
export interface BrowserSession extends Session {
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
 * Prolongs a live session that a browser has used; undefined when it has ended meanwhile. Its secret stays the same, so
 * a lost response and two tabs that ask at once end nothing.
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
