import { type Cell, readWorkbook, type Sheet } from '../../../../core/documents/workbook.ts';
import type { XlsxReadJob } from '../document-job.ts';

/** The rows of a workbook's sheet. */
export interface SheetRows {
  readonly sheet: string;
  readonly sheets: readonly string[];
  /** The range of the sheet's cells that are not empty, such as `A1:F200`. */
  readonly used: string;
  /** The rows of the range that were read, as lists or as records. */
  readonly rows: readonly (readonly Cell[] | Readonly<Record<string, Cell>>)[];
  /** The range with which to continue; null when all was read. */
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

const LETTERS = 26;
const A = 64;
const RANGE = /^([A-Z]{0,3})(\d{0,7})(?::([A-Z]{0,3})(\d{0,7}))?$/;

/** A rectangle of cells, from 1, its ends included; it is empty when an end lies before its beginning. */
export interface CellRange {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the letters of a column, from 1. */
export function columnName(column: number): string {
  let [name, rest] = ['', column];
  for (; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    name = String.fromCodePoint(A + 1 + ((rest - 1) % LETTERS)) + name;
  return name;
}

/** Reads a range such as `A1:D20`, `B:C` or `5:90`, and cuts it to the cells that there are. */
export function parseRange(
  range: string | undefined,
  { width, height }: { readonly width: number; readonly height: number },
): CellRange {
  if (range === undefined) return { left: 1, top: 1, right: width, bottom: height };
  const parts = RANGE.exec(range.trim().toUpperCase().replaceAll('$', ''));
  const [, left = '', top = '', right = left, bottom = top] = parts ?? [];
  const isEmpty = left === '' && top === '';
  if (parts === null || isEmpty || (left === '') !== (right === ''))
    throw new Error('range must look like A1:D20, B:C or 5:90');
  return {
    left: numberOf(left, 1),
    top: Math.max(1, numberOf(top, 1)),
    right: Math.min(numberOf(right, width), width),
    bottom: Math.min(numberOf(bottom, height), height),
  };
}

// An open end means as far as the sheet goes.
function numberOf(text: string, open: number): number {
  if (text === '') return open;
  return /^\d/.test(text) ? Number(text) : columnNumber(text);
}

function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * LETTERS + (letter.codePointAt(0) ?? A) - A;
  return number;
}
