import { docxHtml } from '../../../../core/documents/docx-html.ts';
import type { DocxReadJob } from '../document-job.ts';
import { convertHtml } from '../../text/convert-html.ts';

/** Reads a Word document as Markdown, HTML or text. */
export async function readDocx({ format }: DocxReadJob, bytes: Buffer): Promise<string> {
  return convertHtml(await docxHtml(bytes), format);
}
