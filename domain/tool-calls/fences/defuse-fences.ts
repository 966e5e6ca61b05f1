import { CALL_INFO, MAX_FENCE_LINE_CHARACTERS } from './fence-line.ts';

const QUOTED_INFO = `quoted_${CALL_INFO}`;
// A blank, written as itself or as JSON writes it.
const BLANK_AT_END = /(?:\s|\\[nrtfv]|\\u[0-9a-f]{4})$/i;
/** Longest way in which a blank is written. */
const MAX_BLANK_CHARACTERS = 6;

/**
 * Turns fenced calls in quoted text into recognisable quotations: `tool_call` after backticks or tildes becomes
 * `quoted_tool_call`. A model that repeats the text word for word then makes no call, wherever in a line or in a JSON
 * string the fence stood. Nothing else changes. Takes linear time.
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
