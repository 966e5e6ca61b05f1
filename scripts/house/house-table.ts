import type { Distribution } from './distribution.ts';
import type { House } from './measure-house.ts';

/** A state of the repository and its figures. */
export type Column = { readonly name: string; readonly house: House };

const ROWS: readonly [string, (house: House) => string][] = [
  ['Files of production code', ({ files }) => String(files)],
  ['Lines', ({ lines }) => String(lines)],
  ['Lines/file median / p95 (max)', ({ linesPerFile }) => spread(linesPerFile)],
  ['Lines/function median / p95 (max)', ({ linesPerFunction }) => spread(linesPerFunction)],
  ['Functions with >3 parameters', ({ functionsOfManyParameters }) => String(functionsOfManyParameters)],
  ['Comment share (JSDoc part)', (house) => `${percent(house.commentShare)} (${percent(house.jsdocShare)})`],
  ['`any` / `!` / default exports', ({ any, nonNull, defaultExports }) => `${any} / ${nonNull} / ${defaultExports}`],
  ['`as` per 1,000 lines (all)', ({ casts, lines }) => `${((casts / lines) * 1000).toFixed(1)} (${casts})`],
  ['Hidden casts', ({ hiddenCasts }) => String(hiddenCasts)],
  [
    'Bare `throw new Error` of throws',
    (house) => `${percent(house.throwsNewError / house.throwsNew)} (${house.throwsNewError}/${house.throwsNew})`,
  ],
  [
    'Tests : source (with support)',
    ({ testLines, supportLines, lines }) =>
      `${(testLines / lines).toFixed(2)} (${((testLines + supportLines) / lines).toFixed(2)})`,
  ],
  ['Titles with "should"', ({ titlesWithShould, titles }) => `${titlesWithShould} of ${titles}`],
  ['Folders over 12 files', ({ crowdedFolders }) => String(crowdedFolders.length)],
];

/** Returns the figures as a Markdown table, a column for each state, and the crowded folders below it. */
export function houseTable(columns: readonly Column[]): string {
  const cells = [
    ['', ...columns.map(({ name }) => name)],
    ...ROWS.map(([title, show]) => [title, ...columns.map(({ house }) => show(house))]),
  ];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const [head = '', ...body] = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const crowded = columns
    .filter(({ house }) => house.crowdedFolders.length > 0)
    .map(({ name, house }) => `Over 12 files in ${name}: ${house.crowdedFolders.join(', ')}`);
  return [head, rule, ...body, ...(crowded.length > 0 ? ['', ...crowded] : [])].join('\n');
}

function spread({ median, p95, max }: Distribution): string {
  return `${median} / ${p95} (${max})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.2 ? 1 : 0)} %`;
}
