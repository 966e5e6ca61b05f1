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

/** What MySQL passes over or reads as a text in whatever mode, where a comment begins, and what may be read otherwise. */
const PART = /'[^'\\]*'|"[^"\\]*"|`[^`]*`|(?:--(?!\S)|#)[^\n]*|\/\*|['"`\\]/g;

/** Returns whether a comment begins within a comment; texts with backslashes in them are taken for none. */
function hasCommentInComment(sql: string): boolean {
  PART.lastIndex = 0;
  for (let part = PART.exec(sql); part !== null; part = PART.exec(sql)) {
    const { 0: mark, index } = part;
    if (mark === '/*') {
      const end = sql.indexOf('*/', index + 2);
      if (sql.slice(index + 2, end === -1 ? sql.length : end).includes('/*')) return true;
      if (end === -1) return false;
      PART.lastIndex = end + 2;
    } else if (mark.length === 1 && mark !== '#') {
      return hasMarkInComment(sql.slice(index));
    }
  }
  return false;
}

function hasMarkInComment(sql: string): boolean {
  let isInside = false;
  for (const { 0: mark } of sql.matchAll(/\/\*|\*\//g)) {
    if (isInside && mark === '/*') return true;
    isInside = mark === '/*';
  }
  return false;
}
