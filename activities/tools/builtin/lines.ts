import { MAX_RESULT_CHARACTERS } from '../../../domain/tool-calls/index.ts';

// Leaves room for the marks around it, so that the text is cut between lines, with a notice.
export const MAX_SHOWN_CHARACTERS = MAX_RESULT_CHARACTERS - 1_000;
const LINE_BREAK = '\n';

/** Cuts a text that begins with line `start` to what a result shows, between lines, and says where to go on. */
export function cutAtLine(text: string, start: number): string {
  const lastBreak = text.lastIndexOf(LINE_BREAK, MAX_SHOWN_CHARACTERS - 1);
  if (lastBreak === -1) {
    const shown = text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
    return `${shown}\n[Line ${start} is longer than can be shown.]`;
  }
  const shown = text.slice(0, lastBreak + 1);
  const next = start + shown.split(LINE_BREAK).length - 1;
  return `${shown}[The file goes on. Read it from start_line ${next}.]`;
}
