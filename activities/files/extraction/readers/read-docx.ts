import { docxHtml } from '../../../core/documents/docx-html.ts';
import { readHtml } from './read-html.ts';

/** Returns the text of a Word document, with its headings, lists and tables. */
export async function readDocx(bytes: Buffer): Promise<string> {
  return readHtml(await docxHtml(bytes));
}
