import { getDocumentProxy } from 'unpdf';
import { Unreadable } from '../job.ts';
import { TextRoom } from './text-room.ts';

/** Returns the text of a PDF, page by page. */
export async function readPdf(bytes: Buffer): Promise<string> {
  const pages = await open(bytes);
  const room = new TextRoom();
  let hasText = false;
  for (let number = 1; number <= pages.numPages && !room.isFull; number += 1) {
    const page = await pages.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    hasText ||= text.trim() !== '';
    room.add(`[Page ${number}]\n${text.trim()}\n\n`);
    page.cleanup();
  }
  if (!hasText) throw new Unreadable('The PDF holds no text; its pages may be pictures');
  return room.text;
}

async function open(bytes: Buffer) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new Unreadable(isLocked ? 'The PDF is protected by a password' : 'The PDF is damaged', { cause: error });
  }
}
