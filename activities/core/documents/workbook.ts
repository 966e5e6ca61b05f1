import readSheets, { type CellValue, type SheetData } from 'read-excel-file/node';
import { requireOfficeFile } from './office-file.ts';
import { Unreadable } from './unreadable.ts';

/** A sheet with the values of its cells by rows; of a formula the result that it had last. */
export interface Sheet {
  readonly name: string;
  readonly rows: SheetData;
}

/** Reads the sheets of a workbook. Throws `Unreadable` for a file that is none. */
export async function readWorkbook(bytes: Buffer): Promise<readonly Sheet[]> {
  requireOfficeFile(bytes, 'workbook');
  try {
    // The library's other variants unpack large parts in threads, which the process may not start.
    const sheets = await readSheets(bytes);
    return sheets.map(({ sheet, data }) => ({ name: sheet, rows: data }));
  } catch (error) {
    throw new Unreadable('The workbook is damaged', { cause: error });
  }
}

/** Returns the value of a cell as JSON has it: dates are texts such as `2026-11-23` or `2026-11-23 14:00:00`. */
export function cellJson(value: CellValue | null | undefined): string | number | boolean | null {
  if (value instanceof Date) return dateText(value);
  // The library's types say the constructor of dates where they mean a date.
  return typeof value === 'function' ? null : (value ?? null);
}

// Workbooks know no time zone; a date without a time is midnight.
function dateText(date: Date): string {
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}
