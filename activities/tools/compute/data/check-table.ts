import type Papa from 'papaparse';

/** Throws what the parser finds wrong with a table; that it cannot tell a delimiter is nothing, with one column. */
export function checkParsed([error]: readonly Papa.ParseError[]): void {
  if (error === undefined || error.type === 'Delimiter') return;
  throw new Error(
    `The table cannot be read: ${error.message}${error.row === undefined ? '' : ` (row ${error.row + 1})`}`,
  );
}

/** Throws unless the cells of a row are in columns; empty ones beyond the last come from delimiters at the end. */
export function checkRow(row: readonly string[], columns: number, number: number): void {
  const isWithin = row.length <= columns || row.slice(columns).every((cell) => cell.trim() === '');
  if (!isWithin)
    throw new Error(`Row ${number} of the table has ${row.length} cells, but there are ${columns} columns`);
}

/** Throws unless a name is that of one column at most. */
export function requireOnce(header: readonly string[], name: string): void {
  if (header.indexOf(name) !== header.lastIndexOf(name))
    throw new Error(`The table has several columns ${name.slice(0, 100)}; give each a name of its own`);
}
