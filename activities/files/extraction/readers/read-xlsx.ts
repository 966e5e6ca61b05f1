import readSheets, { type CellValue } from 'read-excel-file/universal';
import { Unreadable } from '../job.ts';
import { requireSmallArchive } from './archive-size.ts';
import { TextRoom } from './text-room.ts';

/** Returns the cells of a workbook: for each sheet its name, then its rows as CSV. */
export async function readXlsx(bytes: Buffer): Promise<string> {
  requireSmallArchive(bytes);
  const room = new TextRoom();
  for (const { sheet, data } of await open(bytes)) {
    room.add(`[Sheet ${sheet}]\n`);
    for (const row of data) {
      room.add(`${row.map(toCell).join(',')}\n`);
      if (room.isFull) return room.text;
    }
    room.add('\n');
  }
  return room.text;
}

async function open(bytes: Buffer) {
  try {
    return await readSheets(new Blob([new Uint8Array(bytes)]));
  } catch (error) {
    throw new Unreadable('The workbook is damaged', { cause: error });
  }
}

function toCell(value: CellValue | null): string {
  if (value === null) return '';
  const text = value instanceof Date ? dateText(value) : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Workbooks know no time zone; a date without a time is midnight.
function dateText(date: Date): string {
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}
