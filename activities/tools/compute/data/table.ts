import type Papa from 'papaparse';

/**
 * Throws the parser's error about a table, or about one row of it, whose number it does not know. An undetectable
 * delimiter is no error, since a table may have one column.
 */
export function checkParsed([error]: readonly Papa.ParseError[], row?: number): void {
  if (error === undefined || error.type === 'Delimiter') return;
  const number = row ?? (error.row === undefined ? undefined : error.row + 1);
  throw new Error(`The table cannot be read: ${error.message}${number === undefined ? '' : ` (row ${number})`}`);
}

/** Returns the names of columns; empty ones at the end come from delimiters there. */
export function headerOf(names: readonly string[]): string[] {
  const header = names.map((name) => name.trim());
  return header.slice(0, header.findLastIndex((name) => name !== '') + 1);
}

/** Throws unless the cells of a row are in columns; empty ones beyond the last come from delimiters at the end. */
export function checkRow(row: readonly string[], columns: number, number: number): void {
  const isWithin = row.length <= columns || row.slice(columns).every((cell) => cell.trim() === '');
  if (!isWithin)
    throw new Error(`Row ${number} of the table has ${row.length} cells, but there are ${columns} columns`);
}

/** Throws unless each column has a name of its own. */
export function requireDistinct(header: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of header) {
    if (seen.has(name)) throw repeated(name);
    seen.add(name);
  }
}

/** Throws unless a name is that of one column at most. */
export function requireOnce(header: readonly string[], name: string): void {
  if (header.indexOf(name) !== header.lastIndexOf(name)) throw repeated(name);
}

function repeated(name: string): Error {
  const named = name === '' ? 'without a name' : name.slice(0, 100);
  return new Error(`The table has several columns ${named}; give each a name of its own`);
}

/** A number with all its digits: so many units, of which each is one in ten to the power of `decimals`. */
export interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

// Bounded, for what is calculated with the digits.
const DECIMAL =
  /^\s*(?:\+|(?<minus>-))?(?:(?<whole>\d{1,1000})(?:\.(?<fraction>\d{0,1000}))?|\.(?<only>\d{1,1000}))(?:e(?<exponent>[+-]?\d{1,3}))?\s*$/i;

/** Returns the decimal number in a cell; undefined when there is none. */
export function decimalOf(cell: string): Decimal | undefined {
  const groups = DECIMAL.exec(cell)?.groups;
  if (groups === undefined) return undefined;
  const { minus = '', whole = '', only = '', fraction = only, exponent = '0' } = groups;
  const units = BigInt(minus + whole + fraction);
  const decimals = fraction.length - Number(exponent);
  return decimals < 0 ? { units: units * 10n ** BigInt(-decimals), decimals: 0 } : { units, decimals };
}

/** Returns the sum of two numbers. */
export function addDecimals(one: Decimal, other: Decimal): Decimal {
  const decimals = Math.max(one.decimals, other.decimals);
  return { units: unitsAt(one, decimals) + unitsAt(other, decimals), decimals };
}

/** Compares two numbers, as `Array.sort` wants it. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const decimals = Math.max(one.decimals, other.decimals);
  const [left, right] = [unitsAt(one, decimals), unitsAt(other, decimals)];
  return left < right ? -1 : Number(left > right);
}

/** Divides a number by a whole one, with two more decimals. */
export function divideDecimal({ units, decimals }: Decimal, divisor: number): Decimal {
  return { units: (units * 100n) / BigInt(divisor), decimals: decimals + 2 };
}

/** Writes a number without zeros at the end of its fraction. */
export function decimalText({ units, decimals }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits.charAt(end - 1) === '0') end -= 1;
  const fraction = end === point ? '' : `.${digits.slice(point, end)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
}

function unitsAt({ units, decimals }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - decimals);
}
