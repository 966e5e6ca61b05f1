import { type Cell, readWorkbook } from '../../../core/documents/workbook.ts';
import { TextRoom } from '../job.ts';

/** Returns the cells of a workbook: for each sheet its name, then its rows as CSV; a run of empty rows is one. */
export async function readXlsx(bytes: Buffer): Promise<string> {
  const room = new TextRoom();
  for (const { name, rows } of await readWorkbook(bytes)) {
    room.add(`[Sheet ${name}]\n`);
    let wasEmpty = false;
    for (const row of rows) {
      const isEmpty = row === undefined;
      if (!isEmpty || !wasEmpty) room.add(`${Array.from(row ?? [], toCell).join(',')}\n`);
      wasEmpty = isEmpty;
      if (room.isFull) return room.text;
    }
    room.add('\n');
  }
  return room.text;
}

function toCell(value: Cell | undefined): string {
  const text = String(value ?? '');
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
