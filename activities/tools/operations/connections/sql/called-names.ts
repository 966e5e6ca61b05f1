/** The names in a statement, as they are written and in small letters. */
export interface StatementNames {
  readonly all: ReadonlySet<string>;
  /** Those in front of a parenthesis: functions, and whatever else is written so. */
  readonly called: ReadonlySet<string>;
  /** Whether a called name is written in a way that hides which one it is: in escapes, or with quotes in it. */
  readonly isHidden: boolean;
}

/** Characters from 128 on belong to names, also those that look like blanks. */
const PLAIN = /[\w$\u0080-\u{10ffff}]+/gu;
/** What is between two quotes, without the second: it may be the first of what is really quoted. */
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
      // Two quotes stand for one within a name.
      if (isCalled[end] === 1 && index > 0 && sql[index - 1] === sql[index]) isHidden = true;
    }
  return { all, called, isHidden };
}

/**
 * Returns for each place whether a parenthesis follows, after blanks and comments. It is filled in from the end, so
 * that a statement full of comments takes time that grows with its length only.
 */
function parenthesesAhead(sql: string): Uint8Array {
  const isAhead = new Uint8Array(sql.length + 3);
  /** Where a comment ends that is open at a place; comments may contain others. */
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
