import type { Database } from '../../db/core/database.ts';

/**
 * Forgets every attempt that limits have counted. All tests of a file come from one address, so that one would be
 * refused for what those before it have tried.
 */
export async function forgetAttempts({ system }: Database): Promise<void> {
  await system.query('delete from rate_limits');
}
