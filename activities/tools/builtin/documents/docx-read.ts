import { z } from 'zod';
import { TEXT_FORMATS } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { computeOverDocument } from './document-files.ts';

/** Reads a Word document. */
export const docxRead = defineTool({
  key: 'docx_read',
  name: 'Read Word document',
  description:
    'Reads a Word document (.docx) in the workspace, with headings, lists, tables and links, without pictures.',
  category: 'documents',
  parameters: z.strictObject({
    file: z.string().min(1).max(1024).describe('Path of the document.'),
    format: z.enum(TEXT_FORMATS).optional().describe('Markdown when left out.'),
  }),
  effect: 'read',
  timeoutSeconds: 60,
  label: ({ file }) => `Reading ${file}`,
  run: async ({ file, format = 'markdown' }, context) => {
    const { result, isForeign } = await computeOverDocument(file, context, { kind: 'docx_read', format });
    return { value: result, isForeign };
  },
});
