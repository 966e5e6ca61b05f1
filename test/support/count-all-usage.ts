import type { Database } from '../../db/core/database.ts';
import { countUsage } from '../../db/chats/usage.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Counts until all that was written before the call is counted. One count may not be enough: another worker may be at
 * it, and one statement covers ten minutes at most.
 */
export async function countAllUsage(database: Database): Promise<void> {
  const { rows } = await database.system.query<{ now: string }>('select clock_timestamp()::text as now');
  await waitUntil('the usage to be counted', async () => {
    await countUsage(database, { settleMs: 0 });
    const text = 'select from usage_count where counted_until >= $1::timestamptz';
    return (await database.system.query(text, [rows[0]?.now])).rows[0];
  });
}
