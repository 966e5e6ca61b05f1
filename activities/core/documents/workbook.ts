import { type ArchiveParts, type CellObject, CFB, parse_zip, type WorkSheet } from '@e965/xlsx';
import { requireOfficeFile, Unreadable } from './office-file.ts';

/** The value of a cell; dates, times, durations and errors are texts. */
export type Cell = string | number | boolean | null;

/** A sheet with the values of its cells by rows; of a formula the result that it had last. Empty rows are holes. */
export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly Cell[] | undefined)[];
}

const SHEET_PART = /\/worksheets\/[^/]+\.xml$/;

/** The tags around the cells of a sheet; one without any is closed at once. */
const CELLS_BEGIN = /<(?:\w+:)?sheetData(?:\s[^<>]*)?(?<!\/)>/;
const CELLS_END = /<\/(?:\w+:)?sheetData>/;

/** The beginning of a cell, and its number if that is a long one without a formula. */
const CELL = /<(?:\w+:)?c(?=\s)[^>]*>(?:\s*<(?:\w+:)?v>\s*(-?\d{16,})(?=\s*<))?/g;
const TYPE = /\st=["'](\w*)["']/;

/**
 * A cell whose date is written out, as some programs do. Dates until 1900 represent times and durations; the library
 * reads those by their formats.
 */
const DATE_CELL =
  /(<(?:\w+:)?c\s(?:[^<>]*\s)?t=["'])d(["'][^<>]*>(?:\s*<(?:\w+:)?f\b[^<>]*>(?:[^<]*<\/(?:\w+:)?f>)?)?\s*<(?:\w+:)?v>)\s*((?:19(?!00)|[2-9]\d)\d\d-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?)?\s*(?=<)/g;

/** A link, which the library would repeat in each of its cells, up to those of the whole sheet. */
const LINK = /<(?:\w+:)?hyperlink\s[^<>]*>/g;

/** The bounds of a sheet in Excel. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

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
    return workbook.SheetNames.map((name) => {
      const sheet = workbook.Sheets[name];
      // The library leaves out what it fails to read.
      if (typeof sheet !== 'object') throw new Error(`The sheet ${name} is damaged`);
      return { name, rows: rowsOf(sheet, is1904) };
    });
  } catch (error) {
    throw new Unreadable('The workbook is damaged', { cause: error });
  }
}

// The library names but a few errors, and reads numbers as floating-point ones, which preserve 15 digits of an id, and
// dates that are written out as numbers of days.
function withTextsKept(part: Uint8Array): Uint8Array {
  const xml = Buffer.from(part).toString();
  // The library would find no cells.
  if (CELLS_BEGIN.test(xml) && !CELLS_END.test(xml)) throw new Error('A sheet ends in its middle');
  const dated = xml
    .replaceAll(LINK, '')
    .replaceAll(DATE_CELL, (_, head: string, tail: string, day: string, time = '00:00:00') => {
      return `${head}str${tail}${day}${time === '00:00:00' ? '' : ` ${time}`}`;
    });
  const kept = dated.replaceAll(CELL, (cell, digits?: string) => {
    const type = TYPE.exec(cell)?.[1] ?? 'n';
    const isLong = type === 'n' && digits !== undefined && !Number.isSafeInteger(Number(digits));
    return type === 'e' || isLong ? cell.replace(TYPE, '').replace(/\bc(?=\s)/, 'c t="str"') : cell;
  });
  return kept === xml ? part : Buffer.from(kept);
}

function rowsOf(sheet: WorkSheet, is1904: boolean): Sheet['rows'] {
  const rows: (Cell[] | undefined)[] = [];
  // A chart sheet has no cells.
  const given: readonly (readonly CellObject[] | undefined)[] = sheet['!data'] ?? [];
  // Both arrays have holes, up to billions in a file that is meant to do harm.
  const height = Math.min(given.length, MAX_ROWS);
  for (let row = 0; row < height; row += 1) {
    const values = valuesOf(given[row] ?? [], is1904);
    if (values.length > 0) rows[row] = values;
  }
  return rows;
}

function valuesOf(cells: readonly CellObject[], is1904: boolean): Cell[] {
  const values: Cell[] = [];
  for (const [key, cell] of Object.entries(cells)) {
    const column = Number(key);
    const value = column < MAX_COLUMNS ? valueOf(cell, is1904) : null;
    if (value !== null) values[column] = value;
  }
  return values;
}

function valueOf({ v: value, z: format }: CellObject, is1904: boolean): Cell {
  if (value instanceof Date || value === undefined || value === '') return null;
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return null;
  if (typeof format !== 'string') return value;
  if (PADDED.test(format) && Number.isSafeInteger(value) && value >= 0)
    return String(value).length < format.length ? String(value).padStart(format.length, '0') : value;
  return cellTimeText(value, format, is1904) ?? value;
}

/** What a number format contains beside its fields: texts, escaped characters, colours, locales and exponents. */
const NO_FIELDS = /general|"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|e[+-]/gi;
const FIELD = /[ymdhs]/i;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const TIME_FIELD = /[hs]|am\/pm/i;
const DAY_FIELD = /[yde]|m{3}/i;
const DAY_MS = 86_400_000;

/** The days of 1900: nobody enters them as dates, and sums of times reach them. */
const FIRST_YEAR_DAYS = 367;

/** Numbers of days in workbooks, which count a 29th of February 1900. */
const LEAP_DAY_OF_1900 = 60;
const UNIX_EPOCH_SERIAL = 25_569;
const DAYS_TO_1904 = 1462;

/** The end of the year 9999. */
const LAST_SERIAL = 2_958_466;

/**
 * Returns the text of a number that its format shows as a date, a time or a duration: `2026-11-23`,
 * `2026-11-23 14:00:00`, `08:30:00` or `30:00:00`. Returns undefined for other formats and impossible times.
 */
function cellTimeText(value: number, format: string, is1904: boolean): string | undefined {
  const [fields = ''] = format.replaceAll(NO_FIELDS, '').split(';', 1);
  if (!FIELD.test(fields) || Math.abs(value) >= LAST_SERIAL) return undefined;
  const hasTime = TIME_FIELD.test(fields);
  const isDuration = ELAPSED.test(fields) || (hasTime && !DAY_FIELD.test(fields) && value < FIRST_YEAR_DAYS);
  if (isDuration) return clockText(value, ELAPSED.test(fields));
  if (value < 1 && !is1904) return hasTime || value % 1 !== 0 ? clockText(value, false) : undefined;
  return dateText(value, is1904);
}

// A time of day is not rounded up to the end of its day.
function clockText(days: number, isElapsed: boolean): string {
  const rounded = Math.round(Math.abs(days) * DAY_MS);
  const total = !isElapsed && Math.abs(days) < 1 ? Math.min(rounded, DAY_MS - 1) : rounded;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const [milliseconds, seconds] = [total % 1000, total / 1000];
  const rest = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${days < 0 && total > 0 ? '-' : ''}${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${rest}`;
}

// Workbooks know no time zone; a date without a time is midnight.
function dateText(value: number, is1904: boolean): string | undefined {
  const serial = value + (is1904 ? DAYS_TO_1904 : 0);
  if (value < 0 || serial >= LAST_SERIAL) return undefined;
  const days = serial - UNIX_EPOCH_SERIAL + (serial < LEAP_DAY_OF_1900 ? 1 : 0);
  const text = new Date(Math.round(days * DAY_MS)).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}
