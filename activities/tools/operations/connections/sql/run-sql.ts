import { ToolFailure } from '../../../tool-failure.ts';
import { type Account, type Reach, requireWrites } from '../connections.ts';
import { kindOfStatement, type SqlAnswer, type SqlKind, type SqlStatement } from './sql-statement.ts';
import { runOnMysql } from './mysql.ts';
import { runOnPostgres } from './postgres.ts';

type Run = (account: Account, statement: SqlStatement, reach: Reach) => Promise<SqlAnswer>;

const RUNS: Readonly<Record<SqlKind, Run>> = { postgres: runOnPostgres, mysql: runOnMysql };

/** Runs a statement on the database of an integration, which has to allow it when it writes. */
export async function runSql(account: Account<SqlKind>, statement: SqlStatement, reach: Reach): Promise<SqlAnswer> {
  const kind = kindOfStatement(statement.sql);
  if ('refusal' in kind) throw new ToolFailure('denied', kind.refusal);
  // The text after the first end would be the statement for MySQL, and was not checked.
  if (account.kind === 'mysql' && hasCommentInComment(statement.sql))
    throw new ToolFailure('denied', 'Comments within comments are not allowed');
  if (statement.isWrite) requireWrites(account);
  return RUNS[account.kind](account, statement, reach);
}

/** Where a text, a name or a comment begins for MySQL, and what may be read in several ways. */
const BEGINNING = /['"`\\#]|--|\/\*/g;

/**
 * Returns whether a comment begins within a comment. Texts with backslashes in them are taken for none, and so is what
 * one server takes for a comment and the other does not.
 */
function hasCommentInComment(sql: string): boolean {
  BEGINNING.lastIndex = 0;
  for (let begun = BEGINNING.exec(sql); begun !== null; begun = BEGINNING.exec(sql)) {
    const { 0: mark, index } = begun;
    const end = mark === '/*' ? endAfter(sql, '*/', index + 2) : endOfOther(sql, mark, index);
    if (end === undefined) return hasMarkInComment(sql.slice(index));
    if (mark === '/*' && sql.slice(index + 2, end).includes('/*')) return true;
    BEGINNING.lastIndex = end;
  }
  return false;
}

function endAfter(sql: string, end: string, from: number): number {
  const at = sql.indexOf(end, from);
  return at === -1 ? sql.length : at + end.length;
}

/** Returns where a comment to the end of its line, a text or a name ends; undefined where that is not sure. */
function endOfOther(sql: string, mark: string, index: number): number | undefined {
  if (mark === '#') return endAfter(sql, '\n', index);
  if (mark === '--') return /[ \t\r\n]/.test(sql[index + 2] ?? '\n') ? endAfter(sql, '\n', index) : undefined;
  const end = mark === '\\' ? -1 : sql.indexOf(mark, index + 1);
  return end === -1 || sql.slice(index, end).includes('\\') ? undefined : end + 1;
}

function hasMarkInComment(sql: string): boolean {
  let isInside = false;
  for (const { 0: mark } of sql.matchAll(/\/\*|\*\//g)) {
    if (isInside && mark === '/*') return true;
    isInside = mark === '/*';
  }
  return false;
}
