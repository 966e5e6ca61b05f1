import type { Database } from '../core/database.ts';

/** The number of rows that one statement removes. */
const BATCH = 1_000;

/** Deletes a batch of the rows of a table that a condition in SQL selects; the folder that owns the table calls it. */
export async function purgeRows({ system }: Pick<Database, 'system'>, table: string, condition: string): Promise<void> {
  await system.query(
    `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${BATCH}))`,
  );
}
