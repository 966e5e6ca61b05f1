import type { Database } from '../../db/core/database.ts';
import { waitUntil } from './wait-until.ts';

/** Has two statements wait for a row, one behind the other, and returns what each brings. */
export async function behindRow<A, B>(
  { system }: Pick<Database, 'system'>,
  { table, id }: { readonly table: 'channels' | 'tool_calls' | 'turns'; readonly id: string },
  [first, second]: readonly [() => Promise<A>, () => Promise<B>],
): Promise<[A, B]> {
  const holder = await system.connect();
  const isWaiting = async (count: number) =>
    waitUntil(`${count} statements to wait for the row`, async () => {
      const { rows } = await system.query<{ count: number }>(
        "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows[0]?.count === count || undefined;
    });
  try {
    await holder.query('begin');
    await holder.query(`select from ${table} where id = $1 for update`, [id]);
    const firstDone = first();
    await isWaiting(1);
    const secondDone = second();
    await isWaiting(2);
    await holder.query('commit');
    return await Promise.all([firstDone, secondDone]);
  } finally {
    // Ends its transaction, too, when a statement did not come.
    holder.release(true);
  }
}
