import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { computeOverDocument, MAX_CHARACTERS, SHOWN_CHARACTERS } from './document-files.ts';

/** Reads the text of a PDF. */
export const pdfRead = defineTool({
  key: 'pdf_read',
  name: 'Read PDF',
  description:
    'Reads the text of a PDF in the workspace page by page, with title and author. A long one is read in parts: the result says with which `pages` to go on.',
  category: 'documents',
  parameters: z.strictObject({
    file: z.string().min(1).max(1024).describe('Path of the PDF.'),
    pages: z.string().min(1).max(500).optional().describe('Such as `1-3,7,20-`; all when left out.'),
    max_chars: z.int().min(100).max(MAX_CHARACTERS).optional().describe(`${SHOWN_CHARACTERS} when left out.`),
  }),
  effect: 'read',
  timeoutSeconds: 60,
  label: ({ file }) => `Reading ${file}`,
  run: async ({ file, pages, max_chars: maxCharacters = SHOWN_CHARACTERS }, context) => {
    const { result, isForeign } = await computeOverDocument(file, context, { kind: 'pdf_read', pages, maxCharacters });
    return { value: present(resultSchema.parse(result)), isForeign };
  },
});

const resultSchema = z.object({
  pages: z.int(),
  title: z.string(),
  author: z.string(),
  text: z.string(),
  next: z.int().nullable(),
});

function present({ pages, title, author, text, next }: z.output<typeof resultSchema>): string {
  const head = [`${pages} pages`, title !== '' && `title: ${title}`, author !== '' && `author: ${author}`];
  const end = next === null ? '' : `\n[There is more. Go on from page ${next}, with pages.]`;
  return `[${head.filter((part) => part !== false).join('; ')}]\n\n${text}${end}`;
}
