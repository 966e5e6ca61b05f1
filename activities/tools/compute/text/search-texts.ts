import { RE2JS, RE2JSException } from 're2js';
import { readText } from '../../../core/texts/read-text.ts';
import type { ComputeJob } from '../job.ts';

type SearchJob = Extract<ComputeJob, { kind: 'search' }>;

/** A line that is shown: its number from 1, its text, and whether it matches or is context of a match. */
type FoundLine = readonly [number: number, text: string, isMatch: boolean];

/** The matches in the text at an index of the job. */
interface FoundText {
  readonly index: number;
  readonly matches: number;
  readonly lines: readonly FoundLine[];
}

const MAX_LINE = 300;
/** How much of a long line is shown before its match. */
const LEAD = 80;
/** Characters of all lines that are shown. */
const MAX_CHARACTERS = 400_000;
/** The beginning of a file in which a NUL says that it is no text. */
const SNIFFED = 8_000;

/** Searches texts line by line; stops when enough was found. */
export function searchTexts(job: SearchJob): { found: FoundText[]; isCut: boolean } {
  const find = finderOf(job);
  const found: FoundText[] = [];
  let [left, room] = [job.limit, MAX_CHARACTERS];
  for (const [index, base64] of job.texts.entries()) {
    const content = readText(Buffer.from(base64, 'base64')).text;
    if (content.slice(0, SNIFFED).includes('\u0000')) continue;
    const all = linesOf(content);
    const matches = matchesIn(all, find, left);
    if (matches.size === 0) continue;
    const lines = [...shownLines(all, matches, job.context)];
    found.push({ index, matches: matches.size, lines });
    left -= matches.size;
    room -= lines.reduce((sum, [, text]) => sum + text.length, 0);
    if (left <= 0 || room <= 0) return { found, isCut: true };
  }
  return { found, isCut: false };
}

/** Returns where the first match of a line begins, or -1. */
type Find = (line: string) => number;

function finderOf({ query, isRegex }: SearchJob): Find {
  if (!isRegex) return (line) => line.indexOf(query);
  const pattern = compilePattern(query);
  return (line) => {
    const matcher = pattern.matcher(line);
    return matcher.find() ? matcher.start() : -1;
  };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  // The end of the last line begins no further one.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

// The indexes of lines that match, with the position of the match.
function matchesIn(lines: readonly string[], find: Find, limit: number): Map<number, number> {
  const matches = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const start = find(line);
    if (start !== -1) matches.set(index, start);
    if (matches.size === limit) break;
  }
  return matches;
}

function* shownLines(
  lines: readonly string[],
  matches: ReadonlyMap<number, number>,
  context: number,
): Generator<FoundLine, void, undefined> {
  let next = 0;
  for (const match of matches.keys()) {
    const end = Math.min(match + context, lines.length - 1);
    for (let index = Math.max(next, match - context); index <= end; index += 1)
      yield [index + 1, shorten(lines[index] ?? '', matches.get(index) ?? 0), matches.has(index)];
    next = Math.max(next, end + 1);
  }
}

function shorten(line: string, start: number): string {
  if (line.length <= MAX_LINE) return line;
  const from = Math.max(0, Math.min(start - LEAD, line.length - MAX_LINE));
  const part = line.slice(from, from + MAX_LINE).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + MAX_LINE < line.length ? '…' : ''}`;
}

/**
 * Compiles a regular expression that takes time in proportion to the text, whatever the expression is. Throws what is
 * wrong with it.
 */
export function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const hint = /\(\?[=!<]|\\[1-9]/.test(pattern) ? '; there is no look-around and no back-reference' : '';
    throw new Error(`The pattern is no RE2 expression: ${error.message}${hint}`, { cause: error });
  }
}
