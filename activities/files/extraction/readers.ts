import { isUtf8 } from 'node:buffer';
import { Unreadable } from '../../core/documents/office-file.ts';
import type { Cell } from '../../core/documents/workbook.ts';
import { encodingNotice, readText } from '../../core/texts/read-text.ts';
import { type ExtractionJob, TextRoom } from './job.ts';

// Libraries are loaded when they are needed: most processes read one file.

/** Reads a file that is text itself; `isSame` says whether it is so in UTF-8, as everybody reads it. */
export function readPlain({ mediaType, contentType = mediaType }: ExtractionJob, bytes: Buffer) {
  const read = readText(bytes, contentType);
  const notice = encodingNotice(read);
  const isSame = isUtf8(bytes) && read.encoding === 'utf-8';
  return { text: notice === undefined ? read.text : `${read.text}\n${notice}`, isSame };
}

/** Returns the text of a page. */
export async function readHtml(html: string): Promise<string> {
  const { plainText } = await import('../../core/documents/plain-text.ts');
  return plainText(html);
}

/** Returns the text of a Word document. */
export async function readDocx(bytes: Buffer): Promise<string> {
  const { docxHtml } = await import('../../core/documents/docx-html.ts');
  return readHtml(await docxHtml(bytes));
}

/** Returns the text of a PDF, page by page. */
export async function readPdf(bytes: Buffer): Promise<string> {
  const { openPdf, pageText } = await import('../../core/documents/open-pdf.ts');
  const pdf = await openPdf(bytes);
  const room = new TextRoom();
  let hasText = false;
  for (let number = 1; number <= pdf.numPages && !room.isFull; number += 1) {
    const text = await pageText(pdf, number);
    hasText ||= text !== '';
    room.add(`[Page ${number}]\n${text}\n\n`);
  }
  if (!hasText) throw new Unreadable('The PDF contains no text; its pages may be images');
  return room.text;
}

/** Returns the cells of a workbook: for each sheet its name, then its rows as CSV; a run of empty rows is one. */
export async function readXlsx(bytes: Buffer): Promise<string> {
  const { readWorkbook } = await import('../../core/documents/workbook.ts');
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
