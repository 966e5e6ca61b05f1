import { getDocumentProxy } from 'unpdf';
import { Unreadable } from './office-file.ts';

/** A PDF that was opened; its pages are numbered from 1. */
export type OpenPdf = Awaited<ReturnType<typeof getDocumentProxy>>;

const HEAD = '%PDF-';
/** A head further back is no longer found by most programs. */
const HEAD_WITHIN = 1_024;

/** Opens a PDF. Throws `Unreadable` for one that is locked or damaged, and for another format. */
export async function openPdf(bytes: Buffer): Promise<OpenPdf> {
  if (!bytes.subarray(0, HEAD_WITHIN).includes(HEAD)) throw new Unreadable('The file is not a PDF');
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new Unreadable(isLocked ? 'The PDF is protected by a password' : 'The PDF is damaged', { cause: error });
  }
}

/** Returns the text of a page; '' for one that is a picture. */
export async function pageText(pdf: OpenPdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('')
    .trim();
}
