import { z } from 'zod';
import { TEXT_FORMATS } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { computeOver } from '../data/compute-over-file.ts';
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

const MAX_ROWS = 100_000;

/** Reads the cells of a workbook. */
export const xlsxRead = defineTool({
  key: 'xlsx_read',
  name: 'Read Excel file',
  description:
    'Reads rows of a sheet of an Excel file (.xlsx) in the workspace, and names its sheets. Formulas are read as their last results; dates, times, durations, errors, numbers filled up with zeros and whole numbers too long to be exact are texts. The result says with which `range` to go on.',
  category: 'documents',
  parameters: z.strictObject({
    file: z.string().min(1).max(1024).describe('Path of the file.'),
    sheet: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of the sheet, or its number from 1; the first when left out.'),
    range: z.string().min(1).max(40).optional().describe('Such as `A1:D20`, `B:C` or `5:90`; all when left out.'),
    header: z
      .boolean()
      .optional()
      .describe('Whether the first row of the range names the columns: rows are then objects, else lists (default).'),
    limit: z.int().min(1).max(MAX_ROWS).optional().describe('Most rows; as many as can be shown when left out.'),
  }),
  effect: 'read',
  timeoutSeconds: 60,
  label: ({ file }) => `Reading ${file}`,
  run: async ({ file, sheet, range, header = false, limit }, context) => {
    const { result, isForeign } = await computeOverDocument(file, context, {
      kind: 'xlsx_read',
      sheet,
      range,
      header,
      limit: limit ?? MAX_ROWS,
      maxCharacters: limit === undefined ? SHOWN_CHARACTERS : MAX_CHARACTERS,
    });
    return { value: result, isForeign };
  },
});

/** Converts between Markdown and HTML. */
export const markdownConvert = defineTool({
  key: 'markdown_convert',
  name: 'Convert Markdown',
  description:
    'Converts HTML to Markdown, Markdown to clean HTML, or either to plain text. Give either the path of a `file` in the workspace or the `text`. Scripts and event handlers are left out.',
  category: 'documents',
  parameters: z.strictObject({
    text: z.string().optional().describe('HTML or Markdown.'),
    file: z.string().min(1).max(1024).optional().describe('Path of a file that contains it.'),
    to: z.enum(TEXT_FORMATS).describe('Format to convert it to.'),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  label: ({ to }) => `Converting to ${to}`,
  run: async ({ text, file, to }, context) => {
    const { json, ...source } = await computeOver({ text, file }, context, (content) => ({
      kind: 'markdown',
      content,
      to,
    }));
    return { value: JSON.parse(json) as unknown, ...source };
  },
});
