/** The info string that opens a fenced call. */
export const CALL_INFO = 'tool_call';

/** Longest line that can open or close a fence; a longer one is text, so that no more than this is ever buffered. */
export const MAX_FENCE_LINE_CHARACTERS = 200;

/** The run of backticks or tildes that a fence opened with. */
export interface FenceMark {
  readonly mark: '`' | '~';
  readonly length: number;
}

/** A line that opens a fence, and the word after it. */
interface OpeningLine extends FenceMark {
  readonly info: string;
}

// CommonMark: up to three blanks, and no backtick after a run of backticks, which would be code within a line.
const OPENING = /^ {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$/s;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/;
const UNDECIDED = /^ {0,3}(?:`{0,2}|~{0,2})$/;
const OPENING_SO_FAR = /^ {0,3}(?:`{3,}|~{3,})(.*)$/s;

/** Reads `line`, without its line feed, as the opening line of a fenced block. */
export function readOpeningLine(line: string): OpeningLine | undefined {
  if (line.length > MAX_FENCE_LINE_CHARACTERS) return undefined;
  const match = OPENING.exec(line);
  const run = match?.[1] ?? match?.[3];
  if (run === undefined) return undefined;
  return { mark: run.startsWith('`') ? '`' : '~', length: run.length, info: (match?.[2] ?? match?.[4] ?? '').trim() };
}

/** Returns whether `line`, without its line feed, closes the fence `open`. */
export function closesFence(line: string, open: FenceMark): boolean {
  if (line.length > MAX_FENCE_LINE_CHARACTERS) return false;
  const run = CLOSING.exec(line)?.[1];
  return run !== undefined && run.startsWith(open.mark) && run.length >= open.length;
}

/** Returns whether a line that begins with `start` may still turn out to open a fenced call. */
export function couldOpenCall(start: string): boolean {
  if (start.length > MAX_FENCE_LINE_CHARACTERS) return false;
  if (UNDECIDED.test(start)) return true;
  const rest = OPENING_SO_FAR.exec(start)?.[1];
  if (rest === undefined) return false;
  const info = rest.trim();
  return info === CALL_INFO || (CALL_INFO.startsWith(info) && (info === '' || rest.endsWith(info)));
}

const QUOTED_INFO = `quoted_${CALL_INFO}`;

// A blank, written as itself or as JSON writes it.
const BLANK_AT_END = /(?:\s|\\[nrtfv]|\\u[0-9a-f]{4})$/i;

/** Longest way in which a blank is written. */
const MAX_BLANK_CHARACTERS = 6;

/**
 * Renames fenced calls in quoted text: `tool_call` after backticks or tildes becomes `quoted_tool_call`, so that a
 * model that repeats the text word for word makes no call, wherever in a line or in a JSON string the fence was.
 * Nothing else changes. Takes linear time.
 */
export function defuseFences(text: string): string {
  if (!text.includes(CALL_INFO)) return text;
  const [first = '', ...rest] = text.split(CALL_INFO);
  let before = first;
  let defused = first;
  for (const part of rest) {
    defused += (endsInFence(before) ? QUOTED_INFO : CALL_INFO) + part;
    before = part;
  }
  return defused;
}

function endsInFence(text: string): boolean {
  let end = text.slice(-MAX_FENCE_LINE_CHARACTERS * MAX_BLANK_CHARACTERS);
  for (;;) {
    const blank = BLANK_AT_END.exec(end.slice(-MAX_BLANK_CHARACTERS))?.[0];
    if (blank === undefined) return end.endsWith('`') || end.endsWith('~');
    end = end.slice(0, -blank.length);
  }
}
