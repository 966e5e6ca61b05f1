import writeWorkbook, { type CellObject } from 'write-excel-file/node';
import type { SheetSpec, XlsxWriteJob } from '../document-job.ts';
import { printable } from './to-spans.ts';

const MAX_COLUMNS = 1_000;
const MAX_CELL = 32_767;
const BAD_NAME = /[[\]:*?/\\]|^'|'$/;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?$/;
const HEADER = { fontWeight: 'bold', backgroundColor: '#E8ECF1' } as const;
const DAY_FORMAT = 'yyyy-mm-dd';
const TIME_FORMAT = 'yyyy-mm-dd hh:mm:ss';
/** Widths of columns, in characters. */
const [NARROWEST, WIDEST] = [8, 60];

type Cell = CellObject | null;

/** A sheet whose rows are lists. */
interface Grid {
  readonly rows: readonly (readonly unknown[])[];
  readonly hasHeader: boolean;
}

/** Makes a workbook; returns the bytes in base64. */
export async function makeXlsx({ sheets }: XlsxWriteJob): Promise<{ readonly file: string }> {
  const names = namesOf(sheets);
  const made = sheets.map((sheet, at) => {
    const name = names[at] ?? '';
    const { rows, hasHeader } = gridOf(sheet, name);
    const data = rows.map((row, line) =>
      row.map((value, column) => toCell(value, { isHeader: hasHeader && line === 0, format: sheet.formats?.[column] })),
    );
    return { sheet: name, data, columns: widthsOf(rows, sheet.widths ?? []), stickyRowsCount: hasHeader ? 1 : 0 };
  });
  const file = await writeWorkbook(made, { fontFamily: 'Calibri', fontSize: 11 }).toBuffer();
  return { file: file.toString('base64') };
}

function namesOf(sheets: readonly SheetSpec[]): string[] {
  const names = sheets.map(({ name }, at) => name?.trim() ?? `Sheet${at + 1}`);
  for (const name of names)
    if (name === '' || name.length > 31 || BAD_NAME.test(name))
      throw new Error(`A sheet cannot be called "${name.slice(0, 60)}": 1 to 31 characters, without [ ] : * ? / \\`);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw new Error('Two sheets have the same name');
  return names;
}

// Records become rows below a row of their names.
function gridOf({ rows, header }: SheetSpec, name: string): Grid {
  if (rows.every((row): row is unknown[] => Array.isArray(row))) {
    const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
    requireColumns(width, name);
    return { rows, hasHeader: header ?? false };
  }
  if (!rows.every(isRecord)) throw new Error(`The rows of ${name} must be all lists or all records`);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  requireColumns(columns.length, name);
  return { rows: [columns, ...rows.map((row) => columns.map((column) => row[column]))], hasHeader: header ?? true };
}

function requireColumns(count: number, name: string): void {
  if (count > MAX_COLUMNS) throw new Error(`${name} has more than ${MAX_COLUMNS} columns`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toCell(value: unknown, { isHeader, format }: { isHeader: boolean; format: string | undefined }): Cell {
  const cell = isEmpty(value) ? null : plainCell(value, format === '' ? undefined : format);
  return isHeader ? { ...(cell ?? { value: '', type: String }), ...HEADER } : cell;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function plainCell(value: unknown, format: string | undefined): CellObject {
  if (typeof value === 'number') return { value, type: Number, ...(format !== undefined && { format }) };
  if (typeof value === 'boolean') return { value, type: Boolean };
  if (typeof value === 'string') return textCell(value, format);
  if (isRecord(value) && typeof value['formula'] === 'string' && Object.keys(value).length === 1)
    return { value: safeFormula(value['formula']), type: 'Formula', ...(format !== undefined && { format }) };
  throw new Error('A cell is a text, a number, true, false, null or { "formula": "SUM(B2:B9)" }');
}

// A cell that is text for every spreadsheet, even when it begins with "=".
function textCell(text: string, format: string | undefined): CellObject {
  if (text.length > MAX_CELL) throw new Error(`A cell has ${MAX_CELL} characters at most`);
  const isDay = text.length === 10;
  const time = DATE.test(text) ? Date.parse(isDay ? text : `${text.replace(' ', 'T')}Z`) : Number.NaN;
  if (Number.isNaN(time))
    return {
      value: printable(text),
      type: String,
      ...(text.length > WIDEST && { wrap: true, alignVertical: 'top' as const }),
    };
  return { value: new Date(time), type: Date, format: format ?? (isDay ? DAY_FORMAT : TIME_FORMAT) };
}

function widthsOf(rows: Grid['rows'], widths: readonly number[]): { readonly width: number }[] {
  const longest: number[] = [];
  for (const row of rows)
    for (const [column, value] of row.entries()) longest[column] = Math.max(longest[column] ?? 0, lengthOf(value));
  return longest.map((length, column) => ({
    width: widths[column] ?? Math.min(WIDEST, Math.max(NARROWEST, length + 2)),
  }));
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'number' ? String(value).length : NARROWEST;
}

/** Functions that calculate with the cells of the workbook, and reach nothing else. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'ABS ACOS AND ASIN ATAN ATAN2 AVERAGE AVERAGEA AVERAGEIF AVERAGEIFS CEILING CHAR CHOOSE CLEAN CODE COLUMN COLUMNS ' +
    'CONCAT CONCATENATE CORREL COS COUNT COUNTA COUNTBLANK COUNTIF COUNTIFS DATE DATEDIF DATEVALUE DAY DAYS DAYS360 DEGREES ' +
    'EDATE EOMONTH EVEN EXACT EXP FACT FALSE FIND FIXED FLOOR FORECAST FREQUENCY FV GCD GEOMEAN HLOOKUP HOUR IF ' +
    'IFERROR IFNA IFS INDEX INT INTERCEPT IPMT IRR ISBLANK ISERR ISERROR ISEVEN ISLOGICAL ISNA ISNUMBER ISODD ISTEXT LARGE LCM ' +
    'LEFT LEN LN LOG LOG10 LOOKUP LOWER MATCH MAX MAXA MAXIFS MEDIAN MID MIN MINA MINIFS MINUTE MOD MODE MONTH MROUND N NA ' +
    'NETWORKDAYS NOT NOW NPER NPV ODD OR PERCENTILE PERCENTRANK PI PMT POWER PPMT PRODUCT PROPER PV QUARTILE QUOTIENT RADIANS ' +
    'RANK RATE REPLACE REPT RIGHT ROUND ROUNDDOWN ROUNDUP ROW ROWS RSQ SEARCH SECOND SIGN SIN SLOPE SMALL SQRT STDEV STDEV.P ' +
    'STDEV.S STDEVP SUBSTITUTE SUBTOTAL SUM SUMIF SUMIFS SUMPRODUCT SUMSQ SWITCH T TAN TEXT TEXTJOIN TIME TIMEVALUE TODAY ' +
    'TRANSPOSE TRIM TRUE TRUNC UPPER VALUE VAR VAR.P VAR.S VARP VLOOKUP WEEKDAY WEEKNUM WORKDAY XIRR XLOOKUP XMATCH XNPV ' +
    'XOR YEAR YEARFRAC'
  ).split(' '),
);

/** Those that files name with a prefix, because older programs do not know them. */
const NEWER: ReadonlySet<string> = new Set(
  'CONCAT DAYS IFNA IFS MAXIFS MINIFS STDEV.P STDEV.S SWITCH TEXTJOIN VAR.P VAR.S XLOOKUP XMATCH XOR'.split(' '),
);
const PREFIX = '_xlfn.';

const MAX_FORMULA = 8_000;
const SHEET_NAME = /'[^'[\]:\\/*?]{1,31}'!/g;
/** Marks of other files, of other programs and of addresses. */
const OUTSIDE = /[[\]|\\'#@{}`]|\/\//;
/** A name, and whether it is called. */
const NAME = /[A-Z_][A-Z0-9_.]*\(?/gi;
const QUOTE = '"';

/**
 * Returns a formula as workbooks store it, without `=`. Throws for one that calls anything but known calculations, or
 * that reaches another file or program: a spreadsheet would run it as soon as the file is opened.
 */
export function safeFormula(formula: string): string {
  const body = formula.trim().replace(/^=/, '');
  if (body === '' || body.length > MAX_FORMULA) throw new Error(`A formula has 1 to ${MAX_FORMULA} characters`);
  // Texts in quotes may contain anything.
  const parts = body.split(QUOTE);
  const code = parts.filter((_, at) => at % 2 === 0);
  const isOutside = code.some((part) => OUTSIDE.test(part.replaceAll(SHEET_NAME, 'S!')));
  if (isOutside || parts.length % 2 === 0)
    throw new Error(`The formula ${shown(body)} refers to something outside of the workbook, or is not complete`);
  for (const name of calledIn(code.join('""')))
    if (!FUNCTIONS.has(name)) throw new Error(`The formula ${shown(body)} may not call ${name.slice(0, 40)}`);
  return parts.map((part, at) => (at % 2 === 0 ? withPrefixes(part) : part)).join(QUOTE);
}

// A blank may precede the bracket.
function calledIn(code: string): string[] {
  const names = code.replaceAll(/\s+/g, '').match(NAME) ?? [];
  return names.filter((name) => name.endsWith('(')).map((name) => name.slice(0, -1).toUpperCase());
}

function withPrefixes(code: string): string {
  return code.replaceAll(NAME, (name) =>
    name.endsWith('(') && NEWER.has(name.slice(0, -1).toUpperCase()) ? PREFIX + name : name,
  );
}

function shown(formula: string): string {
  return formula.slice(0, 80).toWellFormed();
}
