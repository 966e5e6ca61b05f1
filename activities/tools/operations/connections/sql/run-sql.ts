import type { GuardedSockets } from '../../../../core/network/guarded-connect.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import type { Account } from '../connections.ts';
import { runOnMysql } from './mysql.ts';
import { runOnPostgres } from './postgres.ts';
import { kindOfStatement, type SqlAnswer, type SqlStatement } from './sql-statement.ts';

/** Runs a statement on the database of an integration, which has to allow it when it writes. */
export async function runSql(
  account: Account,
  statement: SqlStatement,
  sockets: GuardedSockets,
  signal: AbortSignal,
): Promise<SqlAnswer> {
  const kind = kindOfStatement(statement.sql);
  if ('refusal' in kind) throw new ToolFailure('denied', kind.refusal);
  if (statement.isWrite && account.settings['allow_writes'] !== 'yes')
    throw new ToolFailure(
      'denied',
      `The integration ${account.name} allows no writes: somebody can set allow_writes to yes`,
    );
  const run = account.kind === 'mysql' ? runOnMysql : runOnPostgres;
  return run(account, statement, sockets, signal);
}
