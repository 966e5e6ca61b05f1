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

/** Where a text, a name or a comment begins for MySQL, and what may be read in several ways. */
const BEGINNING = /['"`\\#]|--|\/\*/g;

/** Returns whether a comment begins within a comment; texts with backslashes in them are taken for none. */
function hasCommentInComment(sql: string): boolean {
  const rest = (end: number, length: number) => (end === -1 ? sql.length : end + length);
  BEGINNING.lastIndex = 0;
  for (let begun = BEGINNING.exec(sql); begun !== null; begun = BEGINNING.exec(sql)) {
    const { 0: mark, index } = begun;
    if (mark === '/*') {
      const end = sql.indexOf('*/', index + 2);
      if (sql.slice(index + 2, end === -1 ? sql.length : end).includes('/*')) return true;
      BEGINNING.lastIndex = rest(end, 2);
    } else if (mark === '#' || mark === '--') {
      BEGINNING.lastIndex = isLineComment(mark, sql[index + 2]) ? rest(sql.indexOf('\n', index), 1) : index + 1;
    } else {
      const end = mark === '\\' ? -1 : sql.indexOf(mark, index + 1);
      if (end === -1 || sql.slice(index, end).includes('\\')) return hasMarkInComment(sql.slice(index));
      BEGINNING.lastIndex = end + 1;
    }
  }
  return false;
}

// Two dashes begin one only before a space, for MySQL.
function isLineComment(mark: string, next = '\n'): boolean {
  return mark === '#' || /\s/.test(next);
}

function hasMarkInComment(sql: string): boolean {
  let isInside = false;
  for (const { 0: mark } of sql.matchAll(/\/\*|\*\//g)) {
    if (isInside && mark === '/*') return true;
    isInside = mark === '/*';
  }
  return false;
}
