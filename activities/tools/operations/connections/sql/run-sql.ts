import { ToolFailure } from '../../../tool-failure.ts';
import type { Account, Reach } from '../connections.ts';
import { requireWrites } from '../require-writes.ts';
import { runOnMysql } from './mysql.ts';
import { runOnPostgres } from './postgres.ts';
import { kindOfStatement, type SqlAnswer, type SqlKind, type SqlStatement } from './sql-statement.ts';

type Run = (account: Account, statement: SqlStatement, reach: Reach) => Promise<SqlAnswer>;

const RUNS: Readonly<Record<SqlKind, Run>> = { postgres: runOnPostgres, mysql: runOnMysql };

/** Runs a statement on the database of an integration, which has to allow it when it writes. */
export async function runSql(account: Account<SqlKind>, statement: SqlStatement, reach: Reach): Promise<SqlAnswer> {
  const kind = kindOfStatement(statement.sql);
  if ('refusal' in kind) throw new ToolFailure('denied', kind.refusal);
  // What follows the first end would be the statement for MySQL, and was not looked at.
  if (account.kind === 'mysql' && hasCommentInComment(statement.sql))
    throw new ToolFailure('denied', 'Comments within comments are not allowed');
  if (statement.isWrite) requireWrites(account);
  return RUNS[account.kind](account, statement, reach);
}

function hasCommentInComment(sql: string): boolean {
  let isInside = false;
  for (const { 0: mark } of sql.matchAll(/\/\*|\*\//g)) {
    if (isInside && mark === '/*') return true;
    isInside = mark === '/*';
  }
  return false;
}
