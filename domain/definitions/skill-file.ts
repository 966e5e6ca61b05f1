/** The file of a skill that holds its instructions. */
export const SKILL_FILE = 'SKILL.md';

/** What stands between the two lines of a file's front matter, and below them. */
interface SplitFile {
  readonly fields: string;
  readonly body: string;
}

const BYTE_ORDER_MARK = '\uFEFF';
const FENCE = '---';

/** Splits a Markdown file that begins with fields between two lines of three hyphens; `undefined` for any other. */
export function splitFrontMatter(text: string): SplitFile | undefined {
  const [first, ...lines] = text.split('\n');
  const end = lines.findIndex(isFence);
  if (!isFence(first?.replace(BYTE_ORDER_MARK, '')) || end < 0) return undefined;
  return { fields: `${lines.slice(0, end).join('\n')}\n`, body: lines.slice(end + 1).join('\n') };
}

function isFence(line: string | undefined): boolean {
  return line?.trimEnd() === FENCE;
}
