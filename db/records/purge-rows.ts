import type { Database } from '../core/database.ts';

/** The number of rows that one statement removes, and of statements that follow each other. */
const BATCH = 1_000;
const MAX_BATCHES = 100;

/**
 * Deletes rows of a table that a condition in SQL selects, at most 100,000; the folder that owns the table calls it.
 */
export async function purgeRows({ system }: Pick<Database, 'system'>, table: string, condition: string): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const { rowCount } = await system.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${BATCH}))`,
    );
    if ((rowCount ?? 0) < BATCH) return;
  }
}
