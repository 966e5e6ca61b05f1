import { AppError } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import type { Transaction } from '../core/index.ts';

/** Returns when the database was made, while nobody has an account; undefined from the first account on. */
export async function emptySince({ system }: Database): Promise<Date | undefined> {
  const { rows } = await system.query<{ since: Date | null }>({
    name: 'empty-since',
    text: 'select min(executed_at) as since from schema_migrations where not exists (select from users)',
  });
  return rows[0]?.since ?? undefined;
}

/** Keeps others from adding accounts until the transaction ends; throws `forbidden` when there is one. */
export async function requireNoAccount(transaction: Transaction): Promise<void> {
  await transaction.query('lock table users in share row exclusive mode');
  const { rowCount } = await transaction.query('select from users limit 1');
  if (rowCount !== 0) throw setupIsDone();
}

/** Returns the answer to a setup token that is of no use any more. */
export function setupIsDone(): AppError {
  return new AppError('forbidden', 'This server is already set up; the setup token only works for the first account');
}
