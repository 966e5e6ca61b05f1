import type { Database } from '../core/database.ts';

/** The channel on which processes with open connections learn whose rights or credentials have changed. */
export const ACCESS_CHANNEL = 'access_changed';

/**
 * Tells every process that the user's credentials or rights have changed, so that open connections are checked again.
 */
export async function announceAccessChange({ stream }: Database, userId: string): Promise<void> {
  await stream.query('select pg_notify($1, $2)', [ACCESS_CHANNEL, userId]);
}

/** Tells the same about several users, in one statement. */
export async function announceAccessChanges({ stream }: Database, userIds: readonly string[]): Promise<void> {
  await stream.query('select pg_notify($1, id) from unnest($2::text[]) id', [ACCESS_CHANNEL, userIds]);
}
