/** A part of a text that is kept together: a heading, or lines without an empty one between them. */
interface Block {
  /** Where it begins and ends in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Of a heading, 1 to 6; 0 of everything else. */
  readonly level: number;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+\S/;
const FENCE = /^ {0,3}(```|~~~)/;

/** Yields the headings (Markdown's) and paragraphs of a text. What is fenced as code has no headings. */
export function* blocksOf(text: string): Generator<Block> {
  let paragraph: { start: number; end: number } | undefined;
  let fence: string | undefined;
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = lineEnd(text, start);
    const line = text.slice(start, end);
    fence = fenceAfter(line, fence);
    const level = fence === undefined ? levelOf(line) : 0;
    const isText = level === 0 && line.trim() !== '';
    if (isText) {
      paragraph = { start: paragraph?.start ?? start, end };
      continue;
    }
    if (paragraph !== undefined) yield { ...paragraph, level: 0 };
    paragraph = undefined;
    if (level > 0) yield { start, end, level };
  }
  if (paragraph !== undefined) yield { ...paragraph, level: 0 };
}

function lineEnd(text: string, start: number): number {
  const at = text.indexOf('\n', start);
  return at === -1 ? text.length : at + 1;
}

// Code ends with the mark that it began with.
function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const mark = FENCE.exec(line)?.[1];
  if (fence === undefined) return mark;
  return mark === fence ? undefined : fence;
}

function levelOf(line: string): number {
  return HEADING.exec(line)?.[1]?.length ?? 0;
}
