/** The kinds of lines in a file. */
export type LineCount = {
  readonly total: number;
  readonly blank: number;
  /** Lines that hold nothing but a comment. */
  readonly comment: number;
  /** Those of them that belong to a JSDoc comment. */
  readonly jsdoc: number;
};

/** Counts the lines of a file by what they hold. */
export function countLines(text: string): LineCount {
  const lines = text.replace(/\n$/, '').split('\n');
  const count = { total: lines.length, blank: 0, comment: 0, jsdoc: 0 };
  let within: 'jsdoc' | 'block' | undefined;
  for (const line of lines.map((each) => each.trim())) {
    const kind = within ?? commentBegun(line);
    if (line === '') count.blank += 1;
    else if (kind !== undefined) count.comment += 1;
    if (kind === 'jsdoc' && line !== '') count.jsdoc += 1;
    within = kind === undefined || kind === 'line' || line.includes('*/') ? undefined : kind;
  }
  return count;
}

function commentBegun(line: string): 'jsdoc' | 'block' | 'line' | undefined {
  if (line.startsWith('/**')) return 'jsdoc';
  if (line.startsWith('/*')) return 'block';
  return line.startsWith('//') ? 'line' : undefined;
}
