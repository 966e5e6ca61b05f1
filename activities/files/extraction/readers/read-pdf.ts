import { openPdf, pageText } from '../../../core/documents/open-pdf.ts';
import { Unreadable } from '../../../core/documents/office-file.ts';
import { TextRoom } from '../job.ts';

/** Returns the text of a PDF, page by page. */
export async function readPdf(bytes: Buffer): Promise<string> {
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
