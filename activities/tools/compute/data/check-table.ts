import type Papa from 'papaparse';

/** Throws what the parser finds wrong with a table; that it cannot tell a delimiter is nothing, with one column. */
export function checkParsed([error]: readonly Papa.ParseError[]): void {
  if (error === undefined || error.type === 'Delimiter') return;
  throw new Error(
    `The table cannot be read: ${error.message}${error.row === undefined ? '' : ` (row ${error.row + 1})`}`,
  );
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
