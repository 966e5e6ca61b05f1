import { z } from 'zod';
import { PAGE_SIZES } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { CONTENT_PARAMETERS, requireContent, writeDocument } from './document-files.ts';

/** Writes a PDF. Repeated, it writes the same again. */
export const pdfCreate = defineTool({
  key: 'pdf_create',
  name: 'Create PDF',
  description:
    'Writes a PDF with page numbers to the workspace. Its fonts have Latin, Greek, Cyrillic, Armenian, Georgian, Chinese, Japanese, Korean and symbols; for other scripts use `docx_create`.',
  category: 'documents',
  parameters: z.strictObject({
    ...CONTENT_PARAMETERS,
    page_size: z.enum(PAGE_SIZES).optional().describe('A4 when left out.'),
    landscape: z.boolean().optional().describe('Whether pages lie on their long side.'),
  }),
  effect: 'keyed',
  timeoutSeconds: 60,
  label: ({ file }) => `Writing ${file}`,
  run: async ({ file, markdown, blocks, title = '', page_size: pageSize = 'A4', landscape = false }, context) => {
    requireContent({ markdown, blocks });
    const job = { kind: 'pdf_create', markdown, blocks, title, pageSize, landscape } as const;
    return writeDocument({ file, extension: '.pdf', job }, context);
  },
});
