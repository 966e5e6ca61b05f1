import { migrations } from './list.ts';
import type { Database } from '../core/database.ts';

/**
 * The migration that makes the schema of `db/schema`, with the beginning of the digest of its statements: until the
 * first release, a database of another state of the code is not upgraded.
 */
export const BASELINE = 'baseline-0e2331552700';

/** Neither the table of migrations nor the role of the service is there: PostgreSQL's codes for it. */
const EMPTY: ReadonlySet<unknown> = new Set(['42P01', '22023']);

/**
 * Returns the migrations of this code that the database lacks, in their order. Those of newer versions are no fault:
 * they run while older processes still serve. Throws when the database cannot be reached.
 */
export async function pendingMigrations({ system }: Pick<Database, 'system'>): Promise<string[]> {
  const names = [BASELINE, ...migrations];
  const done = await executedMigrations({ system });
  return names.filter((name) => !done.has(name));
}

/** Says what to do about migrations that a database lacks. */
export function notMigrated(pending: readonly string[]): string {
  return `The database is not migrated (${pending.join(', ')}): run node db/orm/migrate.ts with DATABASE_URL of the owner of its tables`;
}

async function executedMigrations({ system }: Pick<Database, 'system'>): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await system.query<{ readonly name: string }>('select name from schema_migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && EMPTY.has(error.code)) return new Set();
    throw error;
  }
}
