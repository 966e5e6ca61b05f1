import { Document, Packer, patchDocument, PatchType, TextRun } from 'docx';
import { requireOfficeFile } from '../../../../core/documents/office-file.ts';
import type { DocxCreateJob } from '../document-job.ts';
import { DOCX_STYLES, NUMBERING } from './docx-styles.ts';
import { DocxWriter } from './docx-writer.ts';
import { toBlocks } from './to-blocks.ts';

const CONTENT = 'content';
const TITLE = 'title';

/** Makes a Word document, or fills in a template; returns the bytes in base64. */
export async function makeDocx(job: DocxCreateJob, template: Buffer): Promise<{ readonly file: string }> {
  const bytes = template.length === 0 ? await newDocument(job) : await filledTemplate(job, template);
  return { file: bytes.toString('base64') };
}

async function newDocument(job: DocxCreateJob): Promise<Buffer> {
  const blocks = toBlocks(job);
  const hasTitle = job.title !== '' && blocks[0]?.type !== 'heading';
  const titled = hasTitle ? [{ type: 'heading' as const, level: 1, spans: [{ text: job.title }] }, ...blocks] : blocks;
  const children = new DocxWriter({ hasNumbering: true }).childrenOf(titled);
  const document = new Document({
    title: job.title,
    creator: 'Everturn',
    styles: DOCX_STYLES,
    numbering: NUMBERING,
    sections: [{ children }],
  });
  return Packer.toBuffer(document);
}

// A template has the styles of its own, and no place for the numbers of lists.
async function filledTemplate(job: DocxCreateJob, template: Buffer): Promise<Buffer> {
  requireOfficeFile(template, 'document');
  const values = { [TITLE]: job.title, ...job.values };
  const texts = Object.entries(values).map(
    ([name, text]) => [name, { type: PatchType.PARAGRAPH, children: [new TextRun(text)] }] as const,
  );
  const children = new DocxWriter({ hasNumbering: false }).childrenOf(toBlocks(job));
  const content = [CONTENT, { type: PatchType.DOCUMENT, children }] as const;
  try {
    return await patchDocument({
      outputType: 'nodebuffer',
      data: template,
      patches: Object.fromEntries([...texts, content]),
      keepOriginalStyles: true,
    });
  } catch (error) {
    throw new Error('The template could not be filled in; it must be a Word document with places such as {{content}}', {
      cause: error,
    });
  }
}
