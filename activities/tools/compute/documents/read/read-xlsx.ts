import { type Cell, readWorkbook, type Sheet } from '../../../../core/documents/workbook.ts';
import { columnName, parseRange } from './cell-range.ts';
import type { XlsxReadJob } from '../document-job.ts';

/** What was read of a workbook. */
export interface SheetRows {
  readonly sheet: string;
  readonly sheets: readonly string[];
  /** The cells of the sheet that hold anything, such as `A1:F200`. */
  readonly used: string;
  /** The rows of the range that were read, as lists or as records. */
  readonly rows: readonly (readonly Cell[] | Readonly<Record<string, Cell>>)[];
  /** The range with which to go on; null when all was read. */
  readonly next: string | null;
}

const MAX_SHEETS_NAMED = 100;
const MAX_NAME = 200;

/** Reads cells of a workbook until there is enough. */
export async function readXlsx(job: XlsxReadJob, bytes: Buffer): Promise<SheetRows> {
  const sheets = await readWorkbook(bytes);
  const sheet = findSheet(sheets, job.sheet);
  const width = sheet.rows.reduce((widest, row) => Math.max(widest, row?.length ?? 0), 0);
  const range = parseRange(job.range, { width, height: sheet.rows.length });
  const first = range.top + (job.header ? 1 : 0);
  const toRow = rowMaker(job.header ? cellsOf(sheet, range, range.top) : undefined, range.left);
  const rows: SheetRows['rows'][number][] = [];
  let [at, room] = [first, job.maxCharacters];
  for (; at <= range.bottom && rows.length < job.limit; at += 1) {
    const row = toRow(cellsOf(sheet, range, at));
    room -= JSON.stringify(row).length + 1;
    if (room < 0) break;
    rows.push(row);
  }
  if (rows.length === 0 && first <= range.bottom)
    throw new Error(`Row ${first} is too long to be shown; ask for fewer columns with range`);
  return {
    sheet: sheet.name,
    sheets: sheets.slice(0, MAX_SHEETS_NAMED).map(({ name }) => name),
    used: width === 0 ? '' : `A1:${columnName(width)}${sheet.rows.length}`,
    rows,
    next:
      at > range.bottom
        ? null
        : `${columnName(range.left)}${at}:${columnName(Math.max(range.left, range.right))}${range.bottom}`,
  };
}

function findSheet(sheets: readonly Sheet[], wanted: string | undefined): Sheet {
  const sheet =
    wanted === undefined ? sheets[0] : (sheets.find(({ name }) => name === wanted) ?? sheets[Number(wanted) - 1]);
  if (sheet !== undefined) return sheet;
  const names = sheets
    .map(({ name }) => name)
    .join(', ')
    .slice(0, MAX_NAME);
  throw new Error(`There is no sheet ${wanted?.slice(0, MAX_NAME)}; there are ${names}`);
}

function cellsOf({ rows }: Sheet, { left, right }: { left: number; right: number }, row: number): Cell[] {
  const cells = rows[row - 1] ?? [];
  return Array.from({ length: Math.max(0, right - left + 1) }, (_, at) => cells[left - 1 + at] ?? null);
}

function rowMaker(header: readonly Cell[] | undefined, left: number) {
  if (header === undefined) return (cells: readonly Cell[]) => cells;
  const names = namesOf(header, left);
  return (cells: readonly Cell[]) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null]));
}

// Each column needs a name of its own; the letter of the column makes one.
function namesOf(header: readonly Cell[], left: number): string[] {
  const taken = new Set<string>();
  return header.map((cell, at) => {
    const letter = columnName(left + at);
    const text = String(cell ?? '').trim();
    const name = text === '' ? letter : taken.has(text) ? `${text} (${letter})` : text;
    taken.add(name);
    return name;
  });
}
