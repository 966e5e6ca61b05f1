import { ToolFailure } from '../../../tool-failure.ts';
import { type Account, saidBy } from '../connections.ts';

/** The kinds of integrations that are asked in SQL. */
export type SqlKind = 'postgres' | 'mysql';

/** A statement for a database. */
export interface SqlStatement {
  readonly sql: string;
  /** Bound to the placeholders of the statement; never put into its text. */
  readonly params: readonly unknown[];
  /** Whether it may change something; any other runs in a transaction that cannot. */
  readonly isWrite: boolean;
  readonly maxRows: number;
  readonly timeoutMs: number;
}

/** The result of a statement. */
export interface SqlAnswer {
  readonly columns: readonly string[];
  /** The values in the order of the columns, as JSON has them. */
  readonly rows: readonly (readonly unknown[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
  /** How many rows were changed; null for one that reads. */
  readonly affected: number | null;
}

/** Whether a statement reads, may write, or is never run, and then why. */
type StatementKind = { readonly isWrite: boolean } | { readonly refusal: string };

const READING: ReadonlySet<string> = new Set([
  'select',
  'with',
  'values',
  'table',
  'show',
  'explain',
  'describe',
  'desc',
]);
/** Statements about the session: each call has one of its own, which ends with it. */
const OF_SESSION: ReadonlySet<string> = new Set([
  'abort',
  'begin',
  'close',
  'commit',
  'deallocate',
  'declare',
  'discard',
  'end',
  'execute',
  'fetch',
  'handler',
  'listen',
  'lock',
  'move',
  'notify',
  'prepare',
  'release',
  'reset',
  'rollback',
  'savepoint',
  'set',
  'start',
  'unlisten',
  'unlock',
  'use',
  'xa',
]);
/** Statements that read or write files of the server, load code into it, or end what others do. */
const OF_SERVER: ReadonlySet<string> = new Set(['copy', 'import', 'install', 'kill', 'load', 'shutdown', 'uninstall']);

/** Functions whose effect no transaction undoes, and those that run a text as SQL, which may call them. */
const BEYOND_TRANSACTION: readonly RegExp[] = [
  // PostgreSQL's.
  /^pg_(?:terminate|cancel)_backend$/,
  /^pg_(?:try_)?advisory\w*$/,
  /^pg_(?:notify|promote|reload_conf|switch_wal)$/,
  /^pg_(?:sleep|logical|replication|stat_reset|file_|rotate_logfile|wal_replay_(?:pause|resume))\w*$/,
  /^(?:set_config|setseed|nextval|setval)$/,
  /^(?:lo_\w*|loread|lowrite)$/,
  // Those of PostgreSQL and its extensions that run texts; some are declared to be stable.
  /^(?:query|cursor|table|schema|database)_to_xml\w*$/,
  /^(?:ts_stat|ts_rewrite)$/,
  /^(?:crosstab\w*|connectby|xpath_table)$/,
  /^dblink\w*$/,
  // Those of MySQL and MariaDB.
  /^(?:get_lock|release_lock|release_all_locks|service_(?:get|release)_\w*)$/,
  /^(?:sleep|benchmark|load_file|sys_(?:exec|eval|set))$/,
  /^(?:(?:master|source)_pos_wait|master_gtid_wait|wait_(?:for_executed_gtid_set|until_sql_thread_after_gtids))$/,
  /^(?:group_replication_\w*|asynchronous_connection_failover_\w*|audit_log_\w*|keyring_key_\w*)$/,
];

/** Returns what a statement is by its first word. What a reading one changes after all, the database refuses. */
export function kindOfStatement(sql: string): StatementKind {
  // MySQL runs what is in such a comment.
  if (/\/\*M?!/.test(sql)) return { refusal: 'Comments that begin with /*! are not allowed' };
  // PostgreSQL ends a comment there, others do not.
  if (/\r(?!\n)/.test(sql)) return { refusal: 'Lines end with \\n or \\r\\n; other texts with \\r belong into params' };
  const word = firstWord(sql);
  if (word === undefined) return { refusal: 'The statement does not begin with a word of SQL' };
  if (OF_SESSION.has(word))
    return { refusal: `${word.toUpperCase()} is not run: each call is one statement in a session of its own` };
  if (OF_SERVER.has(word)) return { refusal: `${word.toUpperCase()} is not run: it reaches beyond the database` };
  return { isWrite: !READING.has(word) || callsBeyondTransaction(sql) };
}

function callsBeyondTransaction(sql: string): boolean {
  const { called, isHidden } = namesIn(sql);
  return isHidden || [...called].some((name) => BEYOND_TRANSACTION.some((pattern) => pattern.test(name)));
}

function firstWord(sql: string): string | undefined {
  let at = endOf(/[\s(]*/y, sql, 0);
  for (let end = commentEnd(sql, at); end !== at; end = commentEnd(sql, at)) at = endOf(/[\s(]*/y, sql, end);
  const word = sql.slice(at, endOf(/[a-z]*/iy, sql, at));
  return word === '' ? undefined : word.toLowerCase();
}

function endOf(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(sql);
  return pattern.lastIndex;
}

/** Returns where the comment that begins at a position ends; the same position when none does. */
function commentEnd(sql: string, at: number): number {
  if (sql.startsWith('--', at) || sql[at] === '#') {
    const end = sql.indexOf('\n', at);
    return end === -1 ? sql.length : end + 1;
  }
  if (!sql.startsWith('/*', at)) return at;
  // PostgreSQL lets comments contain others. MySQL does not: there such a comment is refused (run-sql.ts).
  let depth = 0;
  for (let i = at; i < sql.length; i += 1) {
    if (sql.startsWith('/*', i)) depth += 1;
    else if (sql.startsWith('*/', i)) depth -= 1;
    else continue;
    i += 1;
    if (depth === 0) return i + 1;
  }
  return sql.length;
}

/** The names in a statement, as they are written and in small letters. */
interface StatementNames {
  readonly all: ReadonlySet<string>;
  /** Those in front of a parenthesis: functions, and whatever else is written so. */
  readonly called: ReadonlySet<string>;
  /** Whether a called name is written in a way that hides which one it is: in escapes, or with quotes in it. */
  readonly isHidden: boolean;
}

/** Characters from 128 on belong to names, also those that resemble blanks. */
const PLAIN = /[\w$\u0080-\u{10ffff}]+/gu;
/** The text between two quotes, without the second: it may be the first of a quoted text. */
const QUOTED = [/"([^"]*)(?=")/g, /`([^`]*)(?=`)/g] as const;
const BLANK = /[ \t\n\r\f\v]/;

/**
 * Returns the names in a statement, and more rather than fewer: what is in texts and comments counts, too. Servers read
 * texts in ways that depend on their settings, so nothing that is passed over could be relied on to be a text.
 */
export function namesIn(sql: string): StatementNames {
  const isCalled = parenthesesAhead(sql);
  const all = new Set<string>();
  const called = new Set<string>();
  const add = (name: string, end: number) => {
    for (const form of [name, name.toLowerCase()]) {
      all.add(form);
      if (isCalled[end] === 1) called.add(form);
    }
  };
  let isHidden = /U&"/i.test(sql);
  for (const { 0: name, index } of sql.matchAll(PLAIN)) add(name, index + name.length);
  for (const pattern of QUOTED)
    for (const { 0: match, 1: name = '', index } of sql.matchAll(pattern)) {
      const end = index + match.length + 1;
      add(name, end);
      // Two quotes mean one within a name.
      if (isCalled[end] === 1 && index > 0 && sql[index - 1] === sql[index]) isHidden = true;
    }
  return { all, called, isHidden };
}

/**
 * Returns for each position whether a parenthesis follows, after blanks and comments. It is filled in from the end, so
 * that a statement full of comments takes time that grows with its length only.
 */
function parenthesesAhead(sql: string): Uint8Array {
  const isAhead = new Uint8Array(sql.length + 3);
  /** Where a comment ends that is open at a position; comments may contain others. */
  const commentEnds = new Uint32Array(sql.length + 3).fill(sql.length);
  let lineEnd = sql.length;
  for (let at = sql.length - 1; at >= 0; at -= 1) {
    const two = sql.slice(at, at + 2);
    if (sql[at] === '\n') lineEnd = at;
    if (two === '*/') commentEnds[at] = at + 2;
    else if (two === '/*') commentEnds[at] = commentEnds[commentEnds[at + 2] ?? sql.length] ?? sql.length;
    else commentEnds[at] = commentEnds[at + 1] ?? sql.length;
    isAhead[at] = isAheadAt(at, two);
  }
  return isAhead;

  function isAheadAt(at: number, two: string): number {
    if (two.startsWith('(')) return 1;
    if (two === '--' || two.startsWith('#')) return isAhead[lineEnd] ?? 0;
    if (two === '/*') return isAhead[commentEnds[at + 2] ?? sql.length] ?? 0;
    return BLANK.test(two[0] ?? '') ? (isAhead[at + 1] ?? 0) : 0;
  }
}

/** The most that the rows of an answer may contain, as characters of JSON. */
const MAX_CHARACTERS = 2_000_000;

/** The rows of an answer as far as they are wanted and there is room for them. */
export class KeptRows {
  readonly #rows: unknown[][] = [];
  readonly #maxRows: number;
  #characters = 0;
  #isCut = false;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Adds a row; returns false when it is one too many. */
  add(row: unknown[]): boolean {
    this.#characters += JSON.stringify(row).length;
    this.#isCut ||= this.#rows.length === this.#maxRows || this.#characters > MAX_CHARACTERS;
    if (!this.#isCut) this.#rows.push(row);
    return !this.#isCut;
  }

  /** Returns the answer that they are. */
  answer(columns: readonly string[], affected: number | null): SqlAnswer {
    return { columns, rows: this.#rows, isCut: this.#isCut, affected };
  }
}

/** Returns bytes as JSON has them. */
export function bytesAsJson(bytes: Buffer): { readonly base64: string } {
  return { base64: bytes.toString('base64') };
}

/**
 * The bytes that a database server may send before the statement itself: libraries create an object for each row of
 * their own queries.
 */
export const MAX_PRELUDE_BYTES = 256 * 1024;

/** The codes that a server gives to the refusals that mean something of their own. */
interface RefusalCodes {
  readonly tooLong: readonly (string | number)[];
  /** Of a statement that would change something where nothing may change. */
  readonly readOnly: string | number;
}

interface Refusal {
  /** The name of the server, for people. */
  readonly service: string;
  readonly code: string | number;
  readonly codes: RefusalCodes;
}

/** Returns the failure that a refusal of a database server is, in its words. */
export function sqlFailure(
  error: unknown,
  account: Pick<Account, 'mask'>,
  { service, code, codes }: Refusal,
): ToolFailure {
  if (codes.tooLong.includes(code))
    return new ToolFailure('timeout', 'The statement has taken too long', { cause: error });
  const said = saidBy(account, error);
  const options = { cause: error, isForeign: true };
  return code === codes.readOnly
    ? new ToolFailure('denied', `${said}; with \`write\` it runs where that is allowed`, options)
    : new ToolFailure('invalid_input', `${service} refuses the statement: ${said} (${code})`, options);
}
