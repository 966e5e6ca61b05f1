import { type ArchiveParts, CFB, parse_zip, type CellObject, type WorkSheet } from '@e965/xlsx';
import { cellTimeText } from './cell-time.ts';
import { requireOfficeFile } from './office-file.ts';
import { Unreadable } from './unreadable.ts';

/** The value of a cell; dates, times, durations and errors are texts. */
export type Cell = string | number | boolean | null;

/** A sheet with the values of its cells by rows; of a formula the result that it had last. Empty rows are holes. */
export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Cell[] | undefined)[];
}

const SHEET_PART = /\/worksheets\/[^/]+\.xml$/;
/** The beginning of a cell, and its number if that is a long one without a formula. */
const CELL = /<(?:\w+:)?c(?=\s)[^>]*>(?:\s*<(?:\w+:)?v>\s*(-?\d{16,})(?=\s*<))?/g;
const TYPE = /\st=["'](\w*)["']/;
/** The formats of numbers that are written with leading zeros, such as postal codes. */
const PADDED = /^0{2,}$/;

/** Reads the sheets of a workbook. Throws `Unreadable` for a file that is none. */
export async function readWorkbook(bytes: Buffer): Promise<readonly Sheet[]> {
  requireOfficeFile(bytes, 'workbook');
  try {
    const parts: ArchiveParts = CFB.read(bytes, { type: 'buffer' });
    parts.FullPaths.forEach((path, at) => {
      const part = parts.FileIndex[at];
      if (part !== undefined && SHEET_PART.test(path)) part.content = withTextsKept(part.content);
    });
    const workbook = parse_zip(parts, {
      dense: true,
      cellNF: true,
      cellText: false,
      cellFormula: false,
      cellHTML: false,
    });
    const is1904 = workbook.Workbook?.WBProps?.date1904 === true;
    return workbook.SheetNames.map((name) => ({ name, rows: rowsOf(workbook.Sheets[name], is1904) }));
  } catch (error) {
    throw new Unreadable('The workbook is damaged', { cause: error });
  }
}

// The library names but a few errors, and reads numbers as floating-point ones, which hold 15 digits of an id.
function withTextsKept(part: Uint8Array): Uint8Array {
  const xml = Buffer.from(part).toString();
  const kept = xml.replaceAll(CELL, (cell, digits?: string) => {
    const type = TYPE.exec(cell)?.[1] ?? 'n';
    const isLong = type === 'n' && digits !== undefined && !Number.isSafeInteger(Number(digits));
    return type === 'e' || isLong ? cell.replace(TYPE, '').replace(/\bc(?=\s)/, 'c t="str"') : cell;
  });
  return kept === xml ? part : Buffer.from(kept);
}

function rowsOf(sheet: WorkSheet | undefined, is1904: boolean): Sheet['rows'] {
  const rows: (Cell[] | undefined)[] = [];
  // A chart sheet has no cells.
  (sheet?.['!data'] ?? []).forEach((cells, row) => {
    const values: Cell[] = [];
    // Both arrays have holes, which an iterator would visit.
    cells.forEach((cell, column) => {
      const value = valueOf(cell, is1904);
      if (value !== null) values[column] = value;
    });
    if (values.length > 0) rows[row] = values;
  });
  return rows;
}

function valueOf({ v: value, z: format }: CellObject, is1904: boolean): Cell {
  if (value instanceof Date || value === undefined || value === '') return null;
  if (typeof value !== 'number' || typeof format !== 'string') return value;
  if (PADDED.test(format) && Number.isSafeInteger(value) && value >= 0)
    return String(value).length < format.length ? String(value).padStart(format.length, '0') : value;
  return cellTimeText(value, format, is1904) ?? value;
}
